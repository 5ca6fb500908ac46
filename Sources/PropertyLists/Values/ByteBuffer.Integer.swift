public import Bytes

extension ByteBuffer {
    /// Appends an integer's decimal digits, after `-` if it is negative.
    @inlinable
    public mutating func append(_ value: PropertyListInteger) {
        if value.isNegative { append(UInt8(ascii: "-")) }
        append(decimal: value.magnitude)
    }
}
