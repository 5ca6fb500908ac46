/// A piece of a text document: a value without content, or the beginning or the end of a container.
package struct DocumentToken: Sendable, Equatable {
    package enum Kind: Sendable {
        case dictionary, array
        /// A dictionary's key in XML; in JSON it is a scalar.
        case key
        case scalar
        case end
    }

    package let kind: Kind
    /// Its code units; of a container's end without a text of its own, none.
    package let range: Range<Int>
}

/// Finds the places of a document's values in its text, much faster than a reader, because it reads no value.
///
/// White space, comments, processing instructions and declarations are passed over.
package protocol DocumentTokens: ~Copyable {
    init(_ text: DocumentText)
    /// Reads the next token; nil at the end of the document.
    ///
    /// - Throws: `PropertyListError` if the document cannot be read, or is not of this syntax.
    mutating func next() throws(PropertyListError) -> DocumentToken?
    /// Moves past the end of the container whose beginning was the last token; returns the range of its end.
    mutating func skipContainer() throws(PropertyListError) -> Range<Int>
    /// The comma before the last token; nil if there was none.
    var comma: Int? { get }
    /// Goes on from a place between two tokens.
    mutating func seek(_ position: Int)
}

extension DocumentTokens where Self: ~Copyable {
    /// Moves past the value that began with the last token; returns the range of the whole value.
    package mutating func finish(_ token: DocumentToken) throws(PropertyListError) -> Range<Int> {
        switch token.kind {
        case .dictionary, .array: token.range.lowerBound..<(try skipContainer()).upperBound
        case .key, .scalar: token.range
        case .end: throw .notWhatWasRead
        }
    }

    /// The next token, which must not be missing.
    package mutating func required() throws(PropertyListError) -> DocumentToken {
        guard let token = try next() else { throw .notWhatWasRead }
        return token
    }
}
