import Levels
import PropertyLists

/// An answer about one item, which can be written in any format.
protocol ItemAnswer {
    /// Writes the answer; returns its version, and the link of the next page if there is one.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?)
}
