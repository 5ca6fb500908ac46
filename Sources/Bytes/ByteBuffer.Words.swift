/// Words are stored as a whole and then counted in part, which costs less than a branch for each byte.
extension ByteBuffer {
    /// Stores a word, lowest byte first, but counts only some of it; there must be room for the whole.
    @inlinable @inline(__always)
    public mutating func store(_ word: UInt64, counting counted: Int) {
        unsafe base.unsafelyUnwrapped.storeBytes(of: word.littleEndian, toByteOffset: size, as: UInt64.self)
        size &+= counted
    }

    /// Appends the eight bytes of a word, lowest first.
    @inlinable @inline(__always)
    public mutating func append(littleEndian word: UInt64) {
        guard reserve(8) else { return }
        store(word, counting: 8)
    }

    /// Appends the lowest bytes of a word, the highest of them first.
    ///
    /// - Parameter width: 1 … 8.
    @inlinable @inline(__always)
    public mutating func append(bigEndian word: UInt64, width: Int) {
        guard reserve(8) else { return }
        store((word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* width)).byteSwapped, counting: width)
    }

    /// Appends one byte several times over.
    ///
    /// - Parameter word: eight times the byte.
    @inlinable @inline(__always)
    public mutating func append(_ word: UInt64, repeated count: Int) {
        guard reserve(count &+ 8) else { return }
        var left = count
        while left > 0 {
            store(word, counting: min(left, 8))
            left &-= 8
        }
    }
}
