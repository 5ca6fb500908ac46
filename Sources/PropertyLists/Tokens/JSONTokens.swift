/// The tokens of a JSON document; keys are scalars like any other, and commas are told with the token after them.
package struct JSONTokens: DocumentTokens, ~Copyable {
    private var window: TokenWindow
    package private(set) var comma: Int?

    package init(_ text: DocumentText) { window = TokenWindow(text) }

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
