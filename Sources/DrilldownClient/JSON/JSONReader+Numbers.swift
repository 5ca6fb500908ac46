extension JSONReader {
    /// Reads a number: exact if it is a whole number of 64 bits, else the nearest real number.
    mutating func number() throws(JSONError) -> FieldValue {
        let start = offset
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        var magnitude: UInt64 = 0
        var isExact = true
        let digits = offset
        while let digit = digit {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { isExact = false }
            magnitude = sum
            offset += 1
        }
        guard offset > digits else { throw expected("a digit") }
        guard offset == digits + 1 || bytes[digits] != UInt8(ascii: "0") else {
            throw JSONError("it has a number that begins with 0", at: start)
        }
        if byte == UInt8(ascii: ".") {
            isExact = false
            offset += 1
            try skipDigits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isExact = false
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try skipDigits()
        }
        if isExact, let value = Self.integer(magnitude, isNegative) { return value }
        return try real(from: start)
    }

    private static func integer(_ magnitude: UInt64, _ isNegative: Bool) -> FieldValue? {
        guard isNegative else { return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude) }
        // There is a negative zero among real numbers alone.
        guard magnitude > 0, magnitude <= UInt64(1) << 63 else { return nil }
        return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    private func real(from start: Int) throws(JSONError) -> FieldValue {
        guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)), number.isFinite else {
            throw JSONError("it has a number that is beyond a real number of 64 bits", at: start)
        }
        return .real(number)
    }

    private var digit: UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private mutating func skipDigits() throws(JSONError) {
        guard digit != nil else { throw expected("a digit") }
        while digit != nil { offset += 1 }
    }
}
