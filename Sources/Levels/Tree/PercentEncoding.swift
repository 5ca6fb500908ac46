public import PropertyLists

/// Path segments in URLs (RFC 3986, section 2).
public enum PercentEncoding {
    /// Appends a key as one segment: unreserved characters unchanged, others as `%` and upper-case hexadecimal digits.
    @inlinable
    public static func append(_ key: Span<UInt8>, to buffer: inout ByteBuffer) {
        // Whole words are stored and counted partially: a branch for each byte would cost more.
        buffer.reserve(key.count &* 3 &+ 8)
        for index in key.indices {
            let byte = key[index]
            let isPlain = isUnreserved(byte)
            buffer.store(isPlain ? UInt64(byte) : encoded(byte), counting: isPlain ? 1 : 3)
        }
    }

    /// `%` and two digits, the first character lowest.
    @inlinable @inline(__always)
    static func encoded(_ byte: UInt8) -> UInt64 {
        UInt64(UInt8(ascii: "%")) | UInt64(hexDigit(byte &>> 4)) &<< 8 | UInt64(hexDigit(byte & 15)) &<< 16
    }

    /// The decoded bytes of a segment; nil if a `%` is not followed by two digits.
    public static func decode(_ segment: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(segment.count)
        return decode(segment, into: &bytes) ? bytes : nil
    }

    /// Appends the decoded bytes of a segment; false if a `%` is not followed by two digits.
    static func decode(_ segment: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        var index = 0
        while index < segment.count {
            if segment[index] != UInt8(ascii: "%") {
                bytes.append(segment[index])
                index += 1
            } else {
                guard index + 2 < segment.count, let high = value(segment[index + 1]),
                    let low = value(segment[index + 2])
                else { return false }
                bytes.append(high << 4 | low)
                index += 3
            }
        }
        return true
    }

    /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.3), a bit for each of the 128 ASCII characters.
    @inlinable @inline(__always)
    static func isUnreserved(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && bits &>> UInt64(byte & 63) & 1 == 1
    }

    @inlinable @inline(__always)
    static func hexDigit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 48 : 55) }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }
}
