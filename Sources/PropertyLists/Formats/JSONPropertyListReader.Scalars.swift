import Bytes

extension JSONPropertyListReader {
    /// Reads the string whose first quotation mark is at the cursor.
    @inline(__always)
    mutating func readString() throws(PropertyListError) -> TokenText {
        let found = try window.findStringBreak(from: 1)
        if let found, try window.peek(found) == UInt8(ascii: "\"") {
            return .direct(1..<found, passing: found &+ 1)
        }
        try assembleString()
        return .assembled
    }

    @inline(never)
    private mutating func assembleString() throws(PropertyListError) {
        window.beginAssembling()
        window.advance(1)
        while true {
            guard let found = try window.findStringBreak(from: 0) else { throw cutShortInString }
            window.assemble(0..<found)
            window.advance(found)
            guard window.assembled.count <= limits.valueBytes else {
                throw PropertyListError(
                    reason: "a value is longer than \(limits.valueBytes) bytes; store large data in separate files")
            }
            switch try window.peek() {
            case UInt8(ascii: "\""): return window.advance(1)
            case UInt8(ascii: "\\"): try readEscape()
            default:
                throw PropertyListError(
                    reason: "a string contains a line break or a tab; write \\n, \\r or \\t, or close it with '\"'")
            }
        }
    }

    private mutating func readEscape() throws(PropertyListError) {
        let character: UInt8
        switch try window.peek(1) {
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        case UInt8(ascii: "\""): character = UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): character = UInt8(ascii: "\\")
        case UInt8(ascii: "/"): character = UInt8(ascii: "/")
        case UInt8(ascii: "b"): character = 0x08
        case UInt8(ascii: "f"): character = 0x0C
        case UInt8(ascii: "n"): character = 0x0A
        case UInt8(ascii: "r"): character = 0x0D
        case UInt8(ascii: "t"): character = 0x09
        case nil: throw cutShortInString
        default:
            throw PropertyListError(
                reason:
                    "'\\' does not begin an escape here; the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u1234")
        }
        window.assemble(character)
        window.advance(2)
    }

    private mutating func readUnicodeEscape() throws(PropertyListError) {
        let unit = try hexadecimal(at: 2)
        var value = unit
        var size = 6
        if unit & 0xFC00 == 0xD800, try window.peek(6) == UInt8(ascii: "\\"), try window.peek(7) == UInt8(ascii: "u") {
            let low = try hexadecimal(at: 8)
            if low & 0xFC00 == 0xDC00 {
                value = 0x10000 + (unit & 0x3FF) << 10 | low & 0x3FF
                size = 12
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            let next = try window.peek(6)
            if next == nil { throw cutShortInString }
            if next == UInt8(ascii: "\\"), try window.peek(7) == nil { throw cutShortInString }
            throw PropertyListError(
                reason: "an escape names half of a surrogate pair; the other half must follow or precede it")
        }
        window.assemble(scalar)
        window.advance(size)
    }

    private mutating func hexadecimal(at offset: Int) throws(PropertyListError) -> UInt32 {
        var value: UInt32 = 0
        for place in offset..<offset + 4 {
            guard let byte = try window.peek(place) else { throw cutShortInString }
            guard let digit = byte.hexadecimalValue else {
                throw PropertyListError(reason: "'\\u' must be followed by four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Reads the number at the cursor. Does not move the cursor, so that errors get the position of the number.
    ///
    /// - Returns: the number and its length in bytes.
    @inline(__always)
    mutating func readNumber(_ first: UInt8) throws(PropertyListError) -> (PropertyListScalar, count: Int) {
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
            return try readReal(from: offset)
        default: break
        }
        guard !hasOverflown, let value = PropertyListInteger(magnitude: magnitude, isNegative: isNegative) else {
            throw PropertyListError(reason: "an integer does not fit in 64 bits; it must be from -2^63 to 2^64-1")
        }
        return (.integer(value), offset)
    }

    @inline(__always)
    private mutating func digit(at offset: Int) throws(PropertyListError) -> UInt8? {
        guard let byte = try window.peek(offset), byte &- 0x30 < 10 else { return nil }
        return byte &- 0x30
    }

    @inline(__always)
    private mutating func checkWhole(from start: Int, to end: Int) throws(PropertyListError) {
        guard end > start else { throw PropertyListError(reason: "a number must have a digit after '-'") }
        if end > start &+ 1, try window.peek(start) == UInt8(ascii: "0") {
            throw PropertyListError(reason: "a number must not begin with 0 before other digits")
        }
    }

    /// Reads the number at the cursor, which has a fraction or an exponent.
    ///
    /// - Parameter start: the offset of the `.` or the `e`.
    private mutating func readReal(from start: Int) throws(PropertyListError) -> (PropertyListScalar, count: Int) {
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
        let value = try XMLScalars.real(window.text(0..<offset))
        guard value.isFinite, value != 0 || significantDigits(of: window.text(0..<offset)) == 0 else {
            throw PropertyListError(
                reason: "a number is outside the range of 64-bit floating point, about 4.9e-324 to 1.8e308")
        }
        hasRoundedReal = hasRoundedReal || offset > 17 && significantDigits(of: window.text(0..<offset)) > 17
        return (.real(value), offset)
    }

    /// The number of digits before the exponent from the first that is not 0 to the last that is not 0.
    private func significantDigits(of number: Span<UInt8>) -> Int {
        let digits = Array(copying: number).prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { $0 >= 0x30 }
        let (first, last) = (digits.firstIndex { $0 > 0x30 }, digits.lastIndex { $0 > 0x30 })
        return first.flatMap { first in last.map { $0 - first + 1 } } ?? 0
    }

    /// Returns the offset after a run of digits. The run must not be empty.
    private mutating func digits(from start: Int, after place: String) throws(PropertyListError) -> Int {
        var offset = start
        while try digit(at: offset) != nil {
            offset += 1
            guard offset <= limits.valueBytes else {
                throw PropertyListError(reason: "a number is longer than \(limits.valueBytes) bytes; round it")
            }
        }
        guard offset > start else { throw PropertyListError(reason: "a number must have a digit after \(place)") }
        return offset
    }
}
