/// Sixteen bytes compared at once, the answer in the top bit of each.
///
/// Only wrapping arithmetic and bit operations: the standard library's ordered comparisons of vectors run lane by
/// lane, which made the whitespace skipper fifty times slower.
extension SIMD16<UInt8> {
    /// The top bit of each byte that is at least `bound`, which is 1 … 0x80.
    @inline(__always)
    func atLeast(_ bound: UInt8) -> SIMD16<UInt8> {
        (self | ((self | 0x80) &- SIMD16(repeating: bound))) & 0x80
    }

    /// The top bit of each byte below 0x80 that equals `value`.
    @inline(__always)
    func equal(to value: UInt8) -> SIMD16<UInt8> {
        let difference = self ^ SIMD16(repeating: value)
        return ~(difference | ((difference | 0x80) &- 1)) & 0x80
    }

    /// The number of the first byte whose top bit is set; nil if none is.
    @inline(__always)
    var firstMarked: Int? {
        let words = self.words
        if words.x != 0 { return words.x.trailingZeroBitCount / 8 }
        if words.y != 0 { return 8 + words.y.trailingZeroBitCount / 8 }
        return nil
    }

    /// The same sixteen bytes as two words, the first byte lowest.
    @inline(__always)
    var words: SIMD2<UInt64> { unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self) }
}
