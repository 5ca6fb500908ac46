public import Bytes

extension ByteBuffer {
    /// Appends a text as a JSON string with quotes, escaping only what RFC 8259, section 7, requires.
    ///
    /// - Parameter text: UTF-8; non-ASCII characters are not escaped.
    @inlinable
    public mutating func append(jsonString text: Span<UInt8>) {
        let count = text.count
        // Whole words are stored and then counted partially, hence room for one more than the text and its quotes.
        guard reserve(count &+ 10) else { return }
        store(UInt64(UInt8(ascii: "\"")), counting: 1)
        var index = 0
        while index < count {
            let size = min(count &- index, 8)
            let word = size == 8 ? ByteScan.word(of: text, at: index) : ByteScan.word(of: text, at: index, count: size)
            var special = ByteScan.controls(word) | ByteScan.equal(word, UInt8(ascii: "\""))
            special |= ByteScan.equal(word, UInt8(ascii: "\\"))
            // Past the end of the text the word is zero, which counts as a control character.
            let plain = min(special.trailingZeroBitCount / 8, size)
            store(word, counting: plain)
            index &+= plain
            guard plain < size else { continue }
            appendJSONEscape(of: text[index])
            index &+= 1
            guard reserve(count &- index &+ 10) else { return }
        }
        store(UInt64(UInt8(ascii: "\"")), counting: 1)
    }

    /// Appends a member's name that needs no escaping, with its quotes and its colon, after an optional comma.
    @inlinable @inline(__always)
    mutating func append(jsonMember name: StaticString, afterComma: Bool) {
        let count = name.utf8CodeUnitCount
        guard reserve(count &+ 11) else { return }
        // A comma that is not wanted is overwritten.
        store(UInt64(UInt8(ascii: ",")), counting: afterComma ? 1 : 0)
        store(UInt64(UInt8(ascii: "\"")), counting: 1)
        store(name)
        store(UInt64(UInt8(ascii: "\"")) | UInt64(UInt8(ascii: ":")) << 8, counting: 2)
    }

    @usableFromInline
    mutating func appendJSONEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case 0x08: append("\\b" as StaticString)
        case 0x09: append("\\t" as StaticString)
        case 0x0A: append("\\n" as StaticString)
        case 0x0C: append("\\f" as StaticString)
        case 0x0D: append("\\r" as StaticString)
        default:
            append("\\u00" as StaticString)
            append(0x30 + byte >> 4)
            append(byte & 0xF < 10 ? 0x30 + byte & 0xF : 0x57 + byte & 0xF)
        }
    }
}
