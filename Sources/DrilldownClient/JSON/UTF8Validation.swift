/// The check that bytes are UTF-8; unlike `String(decoding:as:)` it repairs nothing.
enum UTF8Validation {
    /// The text of the bytes; nil if they are not UTF-8.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // A repaired text has replacement characters in place of the bytes that were wrong.
        guard text.utf8.count == bytes.count, text.utf8.elementsEqual(bytes) else { return nil }
        return text
    }
}
