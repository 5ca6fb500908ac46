/// Compares sixteen bytes at once; the result is in the top bit of each.
///
/// Equality is one instruction, but the standard library's ordered comparisons of vectors run lane by lane, which made
/// the whitespace skipper fifty times slower: hence the arithmetic.
extension SIMD16<UInt8> {
    /// The top bit of each byte that is at least `bound`, which is 1 … 0x80.
    @inlinable @inline(__always)
    public func atLeast(_ bound: UInt8) -> SIMD16<UInt8> {
        (self | ((self | 0x80) &- SIMD16(repeating: bound))) & 0x80
    }

    /// The top bit of each byte that equals `value`.
    @inlinable @inline(__always)
    public func equal(to value: UInt8) -> SIMD16<UInt8> {
        unsafe unsafeBitCast(self .== SIMD16(repeating: value), to: SIMD16<UInt8>.self) & 0x80
    }

    /// The number of the first byte whose top bit is set; 16 if none is. Branch-free, because it is unpredictable.
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
