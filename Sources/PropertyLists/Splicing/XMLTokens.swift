/// The tokens of an XML property list.
package struct XMLTokens: DocumentTokens, ~Copyable {
    private var window: TokenWindow
    /// The position after a container such as `<array/>`, until its end token is returned; otherwise nil.
    private var selfClosed: Int?

    package init(_ text: DocumentText) throws(PropertyListError) { window = try TokenWindow(text) }

    package var comma: Int? { nil }

    package mutating func seek(_ position: Int) {
        selfClosed = nil
        window.seek(position)
    }

    package mutating func next() throws(PropertyListError) -> DocumentToken? {
        if let end = selfClosed.take() { return DocumentToken(kind: .end, range: end..<end) }
        while true {
            try window.skipWhitespace()
            if try window.isAtEnd { return nil }
            guard try window.peek() == UInt8(ascii: "<") else { throw .notWhatWasRead }
            let start = window.position
            switch try window.peek(1) {
            case UInt8(ascii: "!"), UInt8(ascii: "?"): try skipMiscellany()
            case UInt8(ascii: "/"):
                let isDocument = try window.peek(2) == UInt8(ascii: "p")
                try finishEndTag()
                if !isDocument { return DocumentToken(kind: .end, range: start..<window.position) }
            case UInt8(ascii: "p"): _ = try finishStartTag()
            default: return try value(from: start)
            }
        }
    }

    private mutating func value(from start: Int) throws(PropertyListError) -> DocumentToken {
        let (first, second) = (try window.peek(1), try window.peek(2))
        let isDictionary = first == UInt8(ascii: "d") && second == UInt8(ascii: "i")
        let isClosed = try finishStartTag()
        if isDictionary || first == UInt8(ascii: "a") {
            if isClosed { selfClosed = window.position }
            return DocumentToken(kind: isDictionary ? .dictionary : .array, range: start..<window.position)
        }
        if !isClosed { try skipText() }
        return DocumentToken(
            kind: first == UInt8(ascii: "k") ? .key : .scalar, range: start..<window.position)
    }

    /// Moves past the text of an element and its end tag.
    private mutating func skipText() throws(PropertyListError) {
        while true {
            try window.find(UInt8(ascii: "<"))
            switch try window.peek(1) {
            case UInt8(ascii: "!"), UInt8(ascii: "?"): try skipMiscellany()
            case UInt8(ascii: "/"): return try finishEndTag()
            default: throw .notWhatWasRead
            }
        }
    }

    package mutating func skipContainer() throws(PropertyListError) -> Range<Int> {
        if let end = selfClosed.take() { return end..<end }
        var depth = 1
        while true {
            try window.find(UInt8(ascii: "<"))
            let first = try window.peek(1)
            if first == UInt8(ascii: "/") {
                guard try isContainer(2, first: window.peek(2)) else {
                    window.advance(3)
                    continue
                }
                let start = window.position
                try finishEndTag()
                depth -= 1
                if depth == 0 { return start..<window.position }
            } else if first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
                try skipMiscellany()
            } else if try isContainer(1, first: first) {
                if try !finishStartTag() { depth += 1 }
            } else {
                _ = try finishStartTag()
            }
        }
    }

    /// Whether the name of a tag is `dict` or `array`. The name begins at the offset, with the letter `first`.
    @inline(__always)
    private mutating func isContainer(_ offset: Int, first: UInt8) throws(PropertyListError) -> Bool {
        if first == UInt8(ascii: "a") { return true }
        guard first == UInt8(ascii: "d") else { return false }
        return try window.peek(offset &+ 1) == UInt8(ascii: "i")
    }

    /// Moves past the end of a start tag. Returns whether the element is empty, as in `<dict/>`.
    @inline(__always)
    private mutating func finishStartTag() throws(PropertyListError) -> Bool {
        window.advance(1)
        while true {
            let character = try window.peek()
            if character == UInt8(ascii: ">") {
                window.advance(1)
                return false
            }
            if character <= UInt8(ascii: "/") { return try finishLongStartTag() }
            window.advance(1)
        }
    }

    @inline(never)
    private mutating func finishLongStartTag() throws(PropertyListError) -> Bool {
        var isClosed = false
        while true {
            let character = try window.peek()
            guard try !window.isAtEnd else { throw .notWhatWasRead }
            window.advance(1)
            switch character {
            case UInt8(ascii: ">"): return isClosed
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                try window.find(character)
                window.advance(1)
                isClosed = false
            default: isClosed = character == UInt8(ascii: "/")
            }
        }
    }

    private mutating func finishEndTag() throws(PropertyListError) {
        try window.find(UInt8(ascii: ">"))
        window.advance(1)
    }

    /// Moves past a comment, a CDATA section, a processing instruction or a declaration.
    private mutating func skipMiscellany() throws(PropertyListError) {
        if try window.matches("<!--") {
            window.advance(4)
            return try window.pass("-->")
        }
        if try window.matches("<![CDATA[") {
            window.advance(9)
            return try window.pass("]]>")
        }
        if try window.matches("<?") { return try window.pass("?>") }
        while true {
            try window.find(UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "\""))
            let isEnd = try window.peek() == UInt8(ascii: ">")
            window.advance(1)
            if isEnd { return }
            try window.pass("\"")
        }
    }
}
