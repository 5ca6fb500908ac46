/// Searches eight bytes at a time for the first byte of some kind.
///
/// In the result of a test, only the lowest set bit is reliable; higher bits may be set by mistake. Use
/// `trailingZeroBitCount`.
public enum ByteScan {
    /// The high bit of each byte of a word.
    @inlinable @inline(__always)
    public static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// A word of eight equal bytes.
    @inlinable @inline(__always)
    public static func word(of byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// Sets the high bit of each byte of `word` that equals `byte`.
    @inlinable @inline(__always)
    public static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let rest = word ^ Self.word(of: byte)
        return (rest &- Self.word(of: 1)) & ~rest & highBits
    }

    /// Sets the high bit of each byte of `word` that is a control character, 0x00 … 0x1F.
    @inlinable @inline(__always)
    public static func controls(_ word: UInt64) -> UInt64 { (word &- Self.word(of: 0x20)) & ~word & highBits }

    /// The eight bytes at an offset of a span, the first byte lowest.
    @inlinable @inline(__always)
    public static func word(of bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// The 1 … 7 bytes at an offset of a span, the first byte lowest; the rest of the word is zero.
    @inlinable @inline(__always)
    public static func word(of bytes: Span<UInt8>, at offset: Int, count: Int) -> UInt64 {
        let raw = unsafe bytes.bytes
        if count >= 4 {
            let low = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian
            let end = offset &+ count &- 4
            let high = unsafe raw.unsafeLoadUnaligned(fromByteOffset: end, as: UInt32.self).littleEndian
            return UInt64(low) | UInt64(high) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        // Of three bytes, this is the middle byte. Of one or two bytes, it is the first or the last byte again, at that
        // byte's own place.
        let low = UInt64(bytes[offset])
        let middle = UInt64(bytes[offset &+ count / 2]) &<< UInt64(truncatingIfNeeded: 8 &* (count / 2))
        let high = UInt64(bytes[offset &+ count &- 1]) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 1))
        return low | middle | high
    }

    /// The index of the first byte, from `start` on, that a test marks; the count if the test marks no byte. The test
    /// gets eight bytes in a word.
    @inlinable @inline(__always)
    public static func index(in text: Span<UInt8>, from start: Int, where test: (UInt64) -> UInt64) -> Int {
        var index = start
        while index < text.count {
            let size = min(text.count &- index, 8)
            let word = size == 8 ? word(of: text, at: index) : word(of: text, at: index, count: size)
            // Past the end of the text, the bytes of the word are zero, and the test may mark them.
            let found = min(test(word).trailingZeroBitCount / 8, size)
            index &+= found
            if found < size { break }
        }
        return index
    }

    /// Whether a test marks any byte of a text. Takes fewer instructions than `index(in:from:where:)` if the test marks
    /// no byte.
    @inlinable @inline(__always)
    public static func any(in text: Span<UInt8>, where test: (UInt64) -> UInt64) -> Bool {
        let count = text.count
        guard count >= 8 else {
            // Spaces fill the rest of the word, because the test may mark a zero.
            let filling = word(of: 0x20) &<< UInt64(truncatingIfNeeded: 8 &* count)
            return count > 0 && test(word(of: text, at: 0, count: count) | filling) != 0
        }
        var found = test(word(of: text, at: count &- 8))
        var index = 0
        while index < count &- 8 {
            found |= test(word(of: text, at: index))
            index &+= 8
        }
        return found != 0
    }

    /// Whether all bytes are at most 0x7F.
    @inlinable
    public static func isASCII(_ bytes: Span<UInt8>) -> Bool { !any(in: bytes) { $0 & highBits } }
}

/// Compares sixteen bytes in one step. The result is in the top bit of each byte.
///
/// Equality is one instruction. The standard library's ordered comparisons of vectors, however, run lane by lane, which
/// made the whitespace skipper fifty times slower. `atLeast` therefore uses arithmetic.
extension SIMD16<UInt8> {
    /// The top bit of each byte that is at least `bound`. `bound` must be 1 … 0x80.
    @inlinable @inline(__always)
    public func atLeast(_ bound: UInt8) -> SIMD16<UInt8> {
        (self | ((self | 0x80) &- SIMD16(repeating: bound))) & 0x80
    }

    /// The top bit of each byte that equals `value`.
    @inlinable @inline(__always)
    public func equal(to value: UInt8) -> SIMD16<UInt8> {
        unsafe unsafeBitCast(self .== SIMD16(repeating: value), to: SIMD16<UInt8>.self) & 0x80
    }

    /// The number of the first byte whose top bit is set; 16 without such a byte. Works without a branch, because a
    /// branch would be unpredictable.
    @inlinable @inline(__always)
    public var firstMarked: Int {
        let words = self.words
        let isHigh = words.x == 0
        return ((isHigh ? 64 : 0) &+ (isHigh ? words.y : words.x).trailingZeroBitCount) &>> 3
    }

    /// The same sixteen bytes as two words, the first byte lowest.
    @inlinable @inline(__always)
    public var words: SIMD2<UInt64> { unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self) }
}

/// A set of ASCII characters, one bit each.
public struct AsciiSet: Sendable {
    /// The characters below `@`.
    @usableFromInline let low: UInt64
    /// The other characters.
    @usableFromInline let high: UInt64

    /// Creates a set from bits, each of which stands for a character: bit 0 of `low` for NUL, and bit 0 of `high` for
    /// `@`.
    @inlinable @inline(__always)
    public init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Whether a byte is one of the characters; false above 0x7F.
    @inlinable @inline(__always)
    public func contains(_ byte: UInt8) -> Bool {
        let half = byte & 0x40 == 0 ? low : high
        return half &>> UInt64(byte) & 1 == 1 && byte < 0x80
    }
}
