extension JSONReader {
    mutating func text() throws(JSONError) -> String {
        skipWhitespace()
        guard byte == UInt8(ascii: "\"") else { throw expected("a text") }
        return try string()
    }

    /// Reads the string whose opening quotation mark is at the offset.
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
                throw JSONError(reason: "it has the control character \(byte) in a text", at: end)
            }
            if byte >= 0x80 { isASCII = false }
            end += 1
        }
        offset = end
        throw expected("the end of a text")
    }

    /// Reads a string whose characters begin at `start`, and whose first escape is at `end`.
    private mutating func escapedString(from start: Int, to end: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<end])
        offset = end
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return try checked(text[...], at: start)
            }
            if byte < 0x20 { throw JSONError(reason: "it has the control character \(byte) in a text", at: offset) }
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

    /// Reads `uXXXX`. If it is the first half of a surrogate pair, also reads the second half, `\uXXXX`.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = offset - 1
        var code = try fourDigits()
        if (0xD800..<0xDC00).contains(code), byte == UInt8(ascii: "\\") {
            offset += 1
            guard byte == UInt8(ascii: "u") else { throw JSONError(reason: "it has half a surrogate pair", at: start) }
            let low = try fourDigits()
            guard (0xDC00..<0xE000).contains(low) else {
                throw JSONError(reason: "it has half a surrogate pair", at: start)
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw JSONError(reason: "it has half a surrogate pair", at: start)
        }
        return scalar
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            offset += 1
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw expected("a hexadecimal digit")
            }
            code = code << 4 | UInt32(digit)
        }
        offset += 1
        return code
    }

    private func checked(_ bytes: ArraySlice<UInt8>, at start: Int) throws(JSONError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid bytes, so the text then differs from the bytes.
        guard text.utf8.elementsEqual(bytes) else {
            throw JSONError(reason: "it has a text that is not UTF-8", at: start)
        }
        return text
    }

    /// Reads a number: exactly if it is a whole number of 64 bits, otherwise as the nearest real number.
    mutating func number() throws(JSONError) -> FieldValue {
        let start = offset
        if byte == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        try skipDigits()
        guard offset == digits + 1 || bytes[digits] != UInt8(ascii: "0") else {
            throw JSONError(reason: "it has a number that begins with 0", at: start)
        }
        let end = offset
        if byte == UInt8(ascii: ".") {
            offset += 1
            try skipDigits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        // `-0` is read as a real number, because whole numbers lack a negative zero.
        if offset == end, text != "-0" {
            if let number = Int64(text) { return .integer(number) }
            if let number = UInt64(text) { return .unsigned(number) }
        }
        guard let number = Double(text), number.isFinite else {
            throw JSONError(reason: "it has a number that is too large for a real number of 64 bits", at: start)
        }
        return .real(number)
    }

    private mutating func skipDigits() throws(JSONError) {
        guard isDigit else { throw expected("a digit") }
        while isDigit { offset += 1 }
    }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
