extension JSONReader {
    /// Reads a string.
    mutating func text() throws(JSONError) -> String {
        skipWhitespace()
        guard byte == UInt8(ascii: "\"") else { throw expected("a text") }
        return try string()
    }

    /// Reads the string whose quotation mark is at the offset.
    mutating func string() throws(JSONError) -> String {
        let start = offset + 1
        var end = start
        var isASCII = true
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                offset = end + 1
                if isASCII { return String(decoding: bytes[start..<end], as: UTF8.self) }
                return try checked(bytes[start..<end], at: start)
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start, to: end) }
            if byte < 0x20 {
                offset = end
                throw JSONError("it has the control character \(byte) in a text", at: end)
            }
            if byte >= 0x80 { isASCII = false }
            end += 1
        }
        offset = end
        throw expected("the end of a text")
    }

    /// Reads a string whose first escape is at `end`.
    private mutating func escapedString(from start: Int, to end: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<end])
        offset = end
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return try checked(text[...], at: start)
            }
            if byte < 0x20 { throw JSONError("it has the control character \(byte) in a text", at: offset) }
            if byte == UInt8(ascii: "\\") {
                try appendEscaped(to: &text)
            } else {
                text.append(byte)
                offset += 1
            }
        }
        throw expected("the end of a text")
    }

    private mutating func appendEscaped(to text: inout [UInt8]) throws(JSONError) {
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            text += try Array(String(escapedScalar()).utf8)
            return
        default: throw expected("the letter of an escape")
        }
        offset += 1
    }

    /// Reads `uXXXX`, and the second half of a surrogate pair.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = offset - 1
        var code = try fourDigits()
        if (0xD800..<0xDC00).contains(code), byte == UInt8(ascii: "\\") {
            offset += 1
            guard byte == UInt8(ascii: "u") else { throw JSONError("it has half a surrogate pair", at: start) }
            let low = try fourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw JSONError("it has half a surrogate pair", at: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw JSONError("it has half a surrogate pair", at: start) }
        return scalar
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            offset += 1
            guard let digit = PercentEncoding.value(of: byte) else { throw expected("a hexadecimal digit") }
            code = code << 4 | UInt32(digit)
        }
        offset += 1
        return code
    }

    private func checked(_ bytes: ArraySlice<UInt8>, at start: Int) throws(JSONError) -> String {
        guard let text = UTF8Validation.text(bytes) else {
            throw JSONError("it has a text that is not UTF-8", at: start)
        }
        return text
    }

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
