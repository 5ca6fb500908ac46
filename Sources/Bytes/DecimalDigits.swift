extension Int {
    /// Reads decimal digits; nil for anything else, including a sign, and for a number that is too large.
    @inlinable
    public init?(digits text: Span<UInt8>) {
        guard !text.isEmpty else { return nil }
        var value = 0
        for index in text.indices {
            let digit = text[index] &- UInt8(ascii: "0")
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = tens.addingReportingOverflow(Int(digit))
            guard digit < 10, !overflows, !carries else { return nil }
            value = sum
        }
        self = value
    }
}
