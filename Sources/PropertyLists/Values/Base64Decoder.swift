import Bytes

/// Base64 as property lists write it (RFC 4648, section 4): white space anywhere, padding at the end.
enum Base64Decoder {
    /// Appends the bytes that `text` encodes.
    ///
    /// - Throws: `PropertyListError` for a character outside the alphabet or an impossible length.
    static func decode(_ text: Span<UInt8>, into output: inout ByteBuffer) throws(PropertyListError) {
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        output.reserve(text.count / 4 * 3 + 3)
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard let value = digit(byte) else {
                if byte <= 0x20 { continue }
                throw PropertyListError("a <data> element contains a character that is not base64")
            }
            guard padding == 0 else { throw PropertyListError("a <data> element continues after its base64 padding") }
            bits = bits << 6 | UInt32(value)
            digits += 1
            if digits & 3 == 0 {
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        try finish(bits, digits: digits, padding: padding, into: &output)
    }

    private static func finish(
        _ bits: UInt32, digits: Int, padding: Int, into output: inout ByteBuffer
    ) throws(PropertyListError) {
        let left = digits & 3
        guard left != 1, padding == 0 || left + padding == 4 || (left == 0 && padding == 0) else {
            throw PropertyListError("a <data> element's base64 is incomplete; it needs groups of four characters")
        }
        if left == 2 { output.append(UInt8(truncatingIfNeeded: bits >> 4)) }
        if left == 3 {
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
