internal import Bytes

/// Base64 as JSON answers show data: RFC 4648, section 4, on one line and padded.
public enum Base64Text {
    /// The bytes that a text encodes; nil for any other text, also for base64 with white space or without its padding.
    public static func bytes(_ text: String) -> [UInt8]? {
        var text = text
        text.makeContiguousUTF8()
        let digits = text.utf8Span.span
        guard digits.count % 4 == 0 else { return nil }
        for index in digits.indices where digits[index] <= 0x20 { return nil }
        var output = ByteBuffer()
        do {
            try Base64Decoder.decode(digits, into: &output)
        } catch {
            return nil
        }
        return Array(copying: output.span)
    }
}
