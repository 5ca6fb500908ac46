extension ByteBuffer {
    /// Appends a number in decimal digits.
    @inlinable
    public mutating func append(decimal value: UInt64) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = value
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            first &-= 1
            digits[first] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        append(digits.span.extracting(first..<20))
    }

    /// Appends the lowest decimal digits of a nonnegative number, including leading zeros.
    public mutating func append(_ value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(0x30 + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
