public import Bytes

/// Text that XML can represent.
public enum XMLText {
    /// Whether a text contains a character that XML 1.0 (section 2.2) cannot represent: U+FFFE, U+FFFF, or a control
    /// character other than tab, line feed and carriage return.
    @inlinable
    public static func holdsMoreThanXML(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let size = min(text.count &- index, 8)
            let word = size == 8 ? ByteScan.word(of: text, at: index) : ByteScan.word(of: text, at: index, count: size)
            let suspicious = ByteScan.controls(word) | ByteScan.equal(word, 0xEF)
            // Past the end of the text the word is zero, which counts as a control character.
            if suspicious.trailingZeroBitCount / 8 < size, holdsMoreThanXML(text, index..<index &+ size) { return true }
            index &+= size
        }
        return false
    }

    @usableFromInline
    static func holdsMoreThanXML(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            let byte = text[index]
            if byte < 0x20, byte != 9, byte != 10, byte != 13 { return true }
            if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE { return true }
        }
        return false
    }
}
