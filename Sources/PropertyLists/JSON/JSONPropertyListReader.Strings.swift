import Bytes

extension JSONPropertyListReader {
    /// Where a string's text is.
    enum Text {
        /// In the window, offsets from the cursor, followed by its quotation mark.
        case direct(Range<Int>)
        /// In `scratch`, the cursor already past its quotation mark.
        case assembled
    }

    /// Reads the string whose first quotation mark is at the cursor.
    @inline(__always)
    mutating func readString() throws(PropertyListError) -> Text {
        let found = try window.findStringBreak(from: 1)
        if let found, try window.peek(found) == UInt8(ascii: "\"") {
            pendingAdvance = found &+ 1
            return .direct(1..<found)
        }
        try assembleString()
        return .assembled
    }

    @_lifetime(borrow self)
    @inline(__always)
    func span(of text: Text) -> Span<UInt8> {
        switch text {
        case .direct(let range): window.text(range)
        case .assembled: scratch.span
        }
    }

    /// Moves past text that `readString` left in the window; it contains no line end.
    @inline(__always)
    mutating func finish(_ text: Text) {
        if case .direct = text { window.advance(pendingAdvance) }
    }

    @inline(never)
    private mutating func assembleString() throws(PropertyListError) {
        scratch.truncate(to: 0)
        window.advance(1)
        while true {
            guard let found = try window.findStringBreak(from: 0) else {
                throw cutShortInString
            }
            window.copy(0..<found, to: &scratch)
            window.advance(found)
            guard scratch.count <= limits.valueBytes else {
                throw PropertyListError(
                    "a value is longer than \(limits.valueBytes) bytes; store large data in separate files")
            }
            switch try window.peek() {
            case UInt8(ascii: "\""): return window.advance(1)
            case UInt8(ascii: "\\"): try readEscape()
            default:
                throw PropertyListError(
                    "a string contains a line break or a tab; write \\n, \\r or \\t, or close it with '\"'")
            }
        }
    }

    private mutating func readEscape() throws(PropertyListError) {
        let character: UInt8
        switch try window.peek(1) {
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        case UInt8(ascii: "\""): character = UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): character = UInt8(ascii: "\\")
        case UInt8(ascii: "/"): character = UInt8(ascii: "/")
        case UInt8(ascii: "b"): character = 0x08
        case UInt8(ascii: "f"): character = 0x0C
        case UInt8(ascii: "n"): character = 0x0A
        case UInt8(ascii: "r"): character = 0x0D
        case UInt8(ascii: "t"): character = 0x09
        case nil: throw cutShortInString
        default:
            throw PropertyListError(
                "'\\' does not begin an escape here; the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u1234")
        }
        scratch.append(character)
        window.advance(2)
    }

    private mutating func readUnicodeEscape() throws(PropertyListError) {
        let unit = try hexadecimal(at: 2)
        var value = unit
        var size = 6
        if unit & 0xFC00 == 0xD800, try window.peek(6) == UInt8(ascii: "\\"), try window.peek(7) == UInt8(ascii: "u") {
            let low = try hexadecimal(at: 8)
            if low & 0xFC00 == 0xDC00 {
                value = 0x10000 + (unit & 0x3FF) << 10 | low & 0x3FF
                size = 12
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            let next = try window.peek(6)
            if next == nil { throw cutShortInString }
            if next == UInt8(ascii: "\\"), try window.peek(7) == nil { throw cutShortInString }
            throw PropertyListError(
                "an escape names half of a surrogate pair; the other half must follow or precede it")
        }
        Transcoder.append(scalar, to: &scratch)
        window.advance(size)
    }

    private mutating func hexadecimal(at offset: Int) throws(PropertyListError) -> UInt32 {
        var value: UInt32 = 0
        for place in offset..<offset + 4 {
            guard let byte = try window.peek(place) else { throw cutShortInString }
            guard let digit = byte.hexadecimalValue else {
                throw PropertyListError("'\\u' must be followed by four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
