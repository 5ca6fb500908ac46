/// What XML can carry.
public enum XMLText {
    /// Whether a text holds a character that XML 1.0 has no way to write: a control other than tab, line feed and
    /// carriage return, U+FFFE or U+FFFF (section 2.2).
    public static func holdsMoreThanXML(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20, byte != 9, byte != 10, byte != 13 { return true }
            if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE { return true }
        }
        return false
    }
}
