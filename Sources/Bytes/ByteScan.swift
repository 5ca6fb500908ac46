/// Searches eight bytes at a time for the first byte of some kind.
///
/// In each test only the lowest set bit is exact, and higher ones may be false: use `trailingZeroBitCount`.
public enum ByteScan {
    /// The high bit of each byte of a word.
    @inlinable @inline(__always)
    public static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// A word of eight equal bytes.
    @inlinable @inline(__always)
    public static func word(of byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// Sets the high bit of each byte of `word` that is `byte`.
    @inlinable @inline(__always)
    public static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let rest = word ^ Self.word(of: byte)
        return (rest &- Self.word(of: 1)) & ~rest & highBits
    }

    /// Sets the high bit of each byte of `word` that is a control character, 0x00 … 0x1F.
    @inlinable @inline(__always)
    public static func controls(_ word: UInt64) -> UInt64 { (word &- Self.word(of: 0x20)) & ~word & highBits }

    /// The eight bytes at an offset of a span, the first of them lowest.
    @inlinable @inline(__always)
    public static func word(of bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// The 1 … 7 bytes at an offset of a span, the first of them lowest; the rest of the word is zero.
    @inlinable @inline(__always)
    public static func word(of bytes: Span<UInt8>, at offset: Int, count: Int) -> UInt64 {
        let raw = unsafe bytes.bytes
        if count >= 4 {
            let low = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian
            let end = offset &+ count &- 4
            let high = unsafe raw.unsafeLoadUnaligned(fromByteOffset: end, as: UInt32.self).littleEndian
            return UInt64(low) | UInt64(high) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        // The middle one of three, and otherwise the first or the last again.
        let low = UInt64(bytes[offset])
        let middle = UInt64(bytes[offset &+ count / 2]) &<< UInt64(truncatingIfNeeded: 8 &* (count / 2))
        let high = UInt64(bytes[offset &+ count &- 1]) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 1))
        return low | middle | high
    }

    /// Whether no byte is above 0x7F.
    @inlinable
    public static func isASCII(_ bytes: Span<UInt8>) -> Bool {
        let count = bytes.count
        if count >= 8 {
            var found = word(of: bytes, at: count &- 8)
            var index = 0
            while index < count &- 8 {
                found |= word(of: bytes, at: index)
                index &+= 8
            }
            return found & highBits == 0
        }
        var found: UInt8 = 0
        for index in 0..<count { found |= bytes[index] }
        return found < 0x80
    }

    /// The number of UTF-16 code units of a UTF-8 text.
    public static func utf16Count(_ text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices {
            // Every byte that begins a character counts, and twice if it begins four bytes.
            if text[index] & 0xC0 != 0x80 { count += text[index] >= 0xF0 ? 2 : 1 }
        }
        return count
    }
}
