public import Bytes

/// Path segments in URLs (RFC 3986, section 2).
public enum PercentEncoding {
    /// Appends a key as one segment: unreserved characters unchanged, others as `%` and upper-case hexadecimal digits.
    @inlinable
    public static func append(_ key: Span<UInt8>, to buffer: inout ByteBuffer) {
        // Whole words are stored and counted partially: a branch for each byte would cost more.
        guard buffer.reserve(key.count &* 3 &+ 8) else { return }
        for index in key.indices {
            let byte = key[index]
            let isPlain = AsciiSet.unreserved.contains(byte)
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
                guard index + 2 < segment.count, let high = segment[index + 1].hexadecimalValue,
                    let low = segment[index + 2].hexadecimalValue
                else { return false }
                bytes.append(high << 4 | low)
                index += 3
            }
        }
        return true
    }

    @inlinable @inline(__always)
    static func hexDigit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 48 : 55) }
}

extension AsciiSet {
    /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.3).
    @inlinable @inline(__always)
    static var unreserved: AsciiSet { AsciiSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }
}
