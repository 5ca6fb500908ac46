import Levels
import PropertyLists

/// An answer about one item, which any format can be written in.
protocol ItemAnswer {
    /// Writes the answer; gives its version, and the link of the next page if there is one.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot carry.
    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?)
}
