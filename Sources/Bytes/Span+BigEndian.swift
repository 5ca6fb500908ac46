extension Span<UInt8> {
    /// Eight bytes as a word, the first byte highest, so that words are ordered as the bytes are.
    @inlinable @inline(__always)
    public func bigEndianWord(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + 8 <= count)
        // The precondition keeps the load inside the span.
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }.bigEndian
    }
}
