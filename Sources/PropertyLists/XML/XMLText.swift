/// What XML can carry.
public enum XMLText {
    /// Whether a text holds a character that XML 1.0 has no way to write: a control other than tab, line feed and
    /// carriage return, U+FFFE or U+FFFF (section 2.2).
    @inlinable
    public static func holdsMoreThanXML(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let size = min(text.count &- index, 8)
            let word = size == 8 ? ByteScan.word(of: text, at: index) : ByteScan.word(of: text, at: index, count: size)
            let suspicious = ByteScan.controls(word) | ByteScan.equal(word, 0xEF)
            // Beyond the end of the text the word is zero: a control character.
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
