/// A piece of a text document: a scalar or a key, or the beginning or the end of a container.
package struct DocumentToken: Sendable, Equatable {
    package enum Kind: Sendable {
        case dictionary, array
        /// The key of an entry in XML. In JSON, a key is a scalar.
        case key
        case scalar
        case end
    }

    package let kind: Kind
    /// The code units of the token; empty for the end of an element such as `<dict/>`.
    package let range: Range<Int>
}

/// Finds the positions of a document's values. This is much faster than a reader, because values are not read.
///
/// White space, comments, processing instructions and declarations are skipped.
package protocol DocumentTokens: ~Copyable {
    /// - Throws: `PropertyListError` for a lack of memory.
    init(_ text: DocumentText) throws(PropertyListError)
    /// Reads the next token. Returns nil at the end of the document.
    ///
    /// - Throws: `PropertyListError` if the document cannot be read, or has another syntax.
    mutating func next() throws(PropertyListError) -> DocumentToken?
    /// Moves past the end of the container that began with the last token. Returns the range of the end.
    mutating func skipContainer() throws(PropertyListError) -> Range<Int>
    /// The position of the comma before the last token, if any.
    var comma: Int? { get }
    /// Continues from a position between two tokens.
    mutating func seek(_ position: Int)
}

extension DocumentTokens where Self: ~Copyable {
    /// Moves past the value that began with the last token. Returns the range of the whole value.
    package mutating func finish(_ token: DocumentToken) throws(PropertyListError) -> Range<Int> {
        switch token.kind {
        case .dictionary, .array: token.range.lowerBound..<(try skipContainer()).upperBound
        case .key, .scalar: token.range
        case .end: throw .notWhatWasRead
        }
    }

    /// Reads the next token. Throws an error if the document ends instead.
    package mutating func required() throws(PropertyListError) -> DocumentToken {
        guard let token = try next() else { throw .notWhatWasRead }
        return token
    }
}

/// The tokens of a JSON document. Keys are scalars, and a comma belongs to the token that follows it.
package struct JSONTokens: DocumentTokens, ~Copyable {
    private var window: TokenWindow
    package private(set) var comma: Int?

    package init(_ text: DocumentText) throws(PropertyListError) { window = try TokenWindow(text) }

    package mutating func seek(_ position: Int) { window.seek(position) }

    package mutating func next() throws(PropertyListError) -> DocumentToken? {
        comma = nil
        while true {
            try window.skipWhitespace()
            if try window.isAtEnd { return nil }
            switch try window.peek() {
            case UInt8(ascii: ","):
                comma = window.position
                window.advance(1)
            case UInt8(ascii: ":"): window.advance(1)
            default: return try token()
            }
        }
    }

    private mutating func token() throws(PropertyListError) -> DocumentToken {
        let start = window.position
        let kind: DocumentToken.Kind
        switch try window.peek() {
        case UInt8(ascii: "{"): kind = .dictionary
        case UInt8(ascii: "["): kind = .array
        case UInt8(ascii: "}"), UInt8(ascii: "]"): kind = .end
        case UInt8(ascii: "\""):
            try skipString()
            return DocumentToken(kind: .scalar, range: start..<window.position)
        default:
            try skipLiteral()
            return DocumentToken(kind: .scalar, range: start..<window.position)
        }
        window.advance(1)
        return DocumentToken(kind: kind, range: start..<window.position)
    }

    private mutating func skipString() throws(PropertyListError) {
        window.advance(1)
        while true {
            try window.find(UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\\"))
            if try window.peek() == UInt8(ascii: "\"") { return window.advance(1) }
            guard try window.peek(1) != 0 else { throw .notWhatWasRead }
            window.advance(2)
        }
    }

    private mutating func skipLiteral() throws(PropertyListError) {
        while try !window.isAtEnd {
            let character = try window.peek()
            let isEnd = character <= 0x20 || character == UInt8(ascii: ",") || character == UInt8(ascii: ":")
            if isEnd || character == UInt8(ascii: "]") || character == UInt8(ascii: "}") { return }
            window.advance(1)
        }
    }

    package mutating func skipContainer() throws(PropertyListError) -> Range<Int> {
        var depth = 1
        while true {
            try window.findStructure()
            switch try window.peek() {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                window.advance(1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                window.advance(1)
                depth -= 1
                if depth == 0 { return window.position - 1..<window.position }
            default: window.advance(1)
            }
        }
    }
}
