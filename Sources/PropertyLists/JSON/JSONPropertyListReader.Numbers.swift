extension JSONPropertyListReader {
    enum Number {
        case integer(PropertyListInteger)
        case real(Double)
    }

    /// Reads the number at the cursor, and leaves the cursor there for errors.
    @inline(__always)
    mutating func readNumber(_ first: UInt8) throws(PropertyListError) -> Number {
        let isNegative = first == UInt8(ascii: "-")
        var offset = isNegative ? 1 : 0
        let start = offset
        var magnitude: UInt64 = 0
        var hasOverflown = false
        while let digit = try digit(at: offset) {
            let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, hasCarried) = product.addingReportingOverflow(UInt64(digit))
            magnitude = sum
            hasOverflown = hasOverflown || isTooLarge || hasCarried
            offset &+= 1
        }
        try checkWhole(from: start, to: offset)
        switch try window.peek(offset) {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            return .real(try readReal(from: offset))
        default: break
        }
        pendingAdvance = offset
        guard !hasOverflown, let value = PropertyListInteger(magnitude: magnitude, isNegative: isNegative) else {
            throw PropertyListError("an integer does not fit in 64 bits; it must be from -2^63 to 2^64-1")
        }
        return .integer(value)
    }

    /// Moves past the number that `readNumber` read.
    @inline(__always)
    mutating func finishNumber() { window.advance(pendingAdvance) }

    @inline(__always)
    private mutating func digit(at offset: Int) throws(PropertyListError) -> UInt8? {
        guard let byte = try window.peek(offset), byte &- 0x30 < 10 else { return nil }
        return byte &- 0x30
    }

    @inline(__always)
    private mutating func checkWhole(from start: Int, to end: Int) throws(PropertyListError) {
        guard end > start else { throw PropertyListError("a number must have a digit after '-'") }
        if end > start &+ 1, try window.peek(start) == UInt8(ascii: "0") {
            throw PropertyListError("a number must not begin with 0 before other digits")
        }
    }

    /// Reads a fraction and an exponent.
    ///
    /// - Parameter start: the offset of the `.` or the `e`.
    private mutating func readReal(from start: Int) throws(PropertyListError) -> Double {
        var offset = start
        if try window.peek(offset) == UInt8(ascii: ".") {
            offset = try digits(from: offset + 1, after: "'.'")
        }
        if let byte = try window.peek(offset), byte | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if let sign = try window.peek(offset), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                offset += 1
            }
            offset = try digits(from: offset, after: "its exponent's 'e'")
        }
        pendingAdvance = offset
        let value = try XMLScalars.real(window.text(0..<offset))
        guard value.isFinite else {
            throw PropertyListError("a number is outside the range of 64-bit floating point, about 1.8e308")
        }
        return value
    }

    /// The offset after a run of digits, which must not be empty.
    private mutating func digits(from start: Int, after place: String) throws(PropertyListError) -> Int {
        var offset = start
        while try digit(at: offset) != nil {
            offset += 1
            guard offset <= limits.valueBytes else {
                throw PropertyListError("a number is longer than \(limits.valueBytes) bytes; round it")
            }
        }
        guard offset > start else { throw PropertyListError("a number must have a digit after \(place)") }
        return offset
    }
}
