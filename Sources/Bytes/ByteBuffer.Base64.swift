extension ByteBuffer {
    /// Appends bytes as base64 with padding (RFC 4648, section 4), without line breaks.
    public mutating func append(base64 bytes: Span<UInt8>) {
        guard reserve((bytes.count / 3 + 1) * 4) else { return }
        let whole = bytes.count - bytes.count % 3
        var index = 0
        while index < whole {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            appendDigits(of: group, count: 4)
            index += 3
        }
        switch bytes.count - whole {
        case 1:
            appendDigits(of: UInt32(bytes[whole]) << 16, count: 2)
            append("==" as StaticString)
        case 2:
            appendDigits(of: UInt32(bytes[whole]) << 16 | UInt32(bytes[whole + 1]) << 8, count: 3)
            append(UInt8(ascii: "="))
        default: break
        }
    }

    /// Appends the first digits of 24 bits.
    @inline(__always)
    private mutating func appendDigits(of group: UInt32, count: Int) {
        for place in 0..<count {
            let value = UInt8(truncatingIfNeeded: group >> UInt32(18 - 6 * place)) & 0x3F
            switch value {
            case ..<26: append(value + UInt8(ascii: "A"))
            case ..<52: append(value - 26 + UInt8(ascii: "a"))
            case ..<62: append(value - 52 + UInt8(ascii: "0"))
            case 62: append(UInt8(ascii: "+"))
            default: append(UInt8(ascii: "/"))
            }
        }
    }
}
