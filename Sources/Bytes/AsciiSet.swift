/// A set of ASCII characters, one bit each.
public struct AsciiSet: Sendable {
    /// The characters below `@`.
    @usableFromInline let low: UInt64
    /// The other characters.
    @usableFromInline let high: UInt64

    /// Makes the set of the characters whose bits are set: bit 0 is NUL in `low` and `@` in `high`.
    @inlinable
    @inline(__always)
    public init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Whether a byte is one of the characters; no byte above 0x7F is.
    @inlinable
    @inline(__always)
    public func contains(_ byte: UInt8) -> Bool {
        let half = byte & 0x40 == 0 ? low : high
        return half &>> UInt64(byte) & 1 == 1 && byte < 0x80
    }
}
