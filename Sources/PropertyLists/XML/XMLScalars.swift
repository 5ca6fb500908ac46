import Bytes
import DrilldownDates

/// The texts of `<integer>`, `<real>` and `<date>` elements.
enum XMLScalars {
    /// Parses an integer from −2⁶³ to 2⁶⁴−1. It is decimal, or hexadecimal after `0x`, and may have a sign.
    static func integer(_ text: Span<UInt8>) throws(PropertyListError) -> PropertyListInteger {
        let text = trimmed(text)
        var index = 0
        var isNegative = false
        if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
            isNegative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        var radix: UInt64 = 10
        if index + 2 < text.count, text[index] == UInt8(ascii: "0"), text[index + 1] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            index += 2
        }
        guard index < text.count else { throw notInteger(text) }
        var magnitude: UInt64 = 0
        while index < text.count {
            guard let value = text[index].hexadecimalValue, value < radix else { throw notInteger(text) }
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, carry) = product.addingReportingOverflow(UInt64(value))
            guard !overflow, !carry else { throw outOfRange(text) }
            magnitude = sum
            index += 1
        }
        guard let value = PropertyListInteger(magnitude: magnitude, isNegative: isNegative) else {
            throw outOfRange(text)
        }
        return value
    }

    /// Parses a real number: a decimal number, `nan`, `inf` or `infinity`.
    static func real(_ text: Span<UInt8>) throws(PropertyListError) -> Double {
        let text = trimmed(text)
        if let value = shortDecimal(text) { return value }
        guard isDecimal(text), let value = Double(String(utf8: text)) else {
            throw PropertyListError(
                reason: "'\(quoted: text)' is not a number; <real> needs one such as 9.5, 1e-3, nan or infinity")
        }
        return value
    }

    /// Whether a text is neither hexadecimal nor of the form `nan(7)`. `Double` accepts these forms, but property lists
    /// do not.
    private static func isDecimal(_ text: Span<UInt8>) -> Bool {
        !text.indices.contains { text[$0] | 0x20 == UInt8(ascii: "x") || text[$0] == UInt8(ascii: "(") }
    }

    /// Reads a number of at most fifteen digits without an exponent; returns nil for any other text. This is much
    /// faster than `strtod`, and has the same result: the quotient of an exact integer and an exact power of ten is
    /// rounded once (Clinger 1990).
    private static func shortDecimal(_ text: Span<UInt8>) -> Double? {
        var mantissa = 0
        var digits = 0
        var fraction = 0
        var index = 0
        var hasPoint = false
        let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                guard byte >= 48, byte <= 57 else { return nil }
                mantissa = mantissa * 10 + Int(byte - 48)
                digits += 1
                if hasPoint { fraction += 1 }
                guard digits <= 15 else { return nil }
            }
            index += 1
        }
        guard digits > fraction, !hasPoint || fraction > 0 else { return nil }
        let value = Double(mantissa) / powersOfTen[fraction]
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// Parses a date such as `2001-03-12T00:00:00Z`. The `Z` may follow any part, as in `2001-03Z`. Returns the seconds
    /// since 2001-01-01T00:00:00Z.
    static func date(_ text: Span<UInt8>) throws(PropertyListError) -> Double {
        let text = trimmed(text)
        var parts = [0, 1, 1, 0, 0, 0]
        let widths = [4, 2, 2, 2, 2, 2]
        let separators: [UInt8] = [0, 45, 45, 84, 58, 58]
        var index = 0
        for part in parts.indices {
            if part > 0 {
                if index < text.count, text[index] == UInt8(ascii: "Z") { break }
                guard index < text.count, text[index] == separators[part] else { throw notDate(text) }
                index += 1
            }
            let end = index + widths[part]
            guard end <= text.count, let value = Int(digits: text.extracting(index..<end)) else { throw notDate(text) }
            parts[part] = value
            index = end
        }
        guard index + 1 == text.count, text[index] == UInt8(ascii: "Z") else { throw notDate(text) }
        let date = CivilDate(
            year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])
        guard date.isReal else {
            throw PropertyListError(
                reason: "'\(quoted: text)' is not a calendar date; dates range from 0001-01-01 to 9999-12-31")
        }
        return Double(date.seconds)
    }

    /// The text without the white space around it. Readers have already refused all other bytes below 0x20.
    @_lifetime(copy text)
    private static func trimmed(_ text: Span<UInt8>) -> Span<UInt8> {
        text.trimmed(from: 0, to: text.count) { $0 <= 0x20 }
    }

    private static func notInteger(_ text: Span<UInt8>) -> PropertyListError {
        PropertyListError(
            reason:
                "'\(quoted: text)' is not a whole number; <integer> needs decimal digits, or 0x and hexadecimal ones")
    }

    private static func outOfRange(_ text: Span<UInt8>) -> PropertyListError {
        PropertyListError(reason: "\(quoted: text) does not fit in 64 bits; an integer must be from -2^63 to 2^64-1")
    }

    private static func notDate(_ text: Span<UInt8>) -> PropertyListError {
        PropertyListError(reason: "'\(quoted: text)' is not a date; <date> needs one such as 2001-03-12T00:00:00Z")
    }
}

/// The base64 of property lists (RFC 4648, section 4), with white space anywhere, and padding at the end.
enum Base64Decoder {
    /// Appends the decoded bytes.
    ///
    /// - Throws: `PropertyListError` for a character outside the alphabet or an impossible length.
    static func decode(_ text: Span<UInt8>, into output: inout ByteBuffer) throws(PropertyListError) {
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        output.reserve(text.count / 4 * 3 + 3)
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard let value = digit(byte) else {
                if byte <= 0x20 { continue }
                throw PropertyListError(reason: "a <data> element contains a character that is not base64")
            }
            guard padding == 0 else {
                throw PropertyListError(reason: "a <data> element continues after its base64 padding")
            }
            bits = bits << 6 | UInt32(value)
            digits += 1
            if digits & 3 == 0 {
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        try finish(bits, digits: digits, padding: padding, into: &output)
    }

    private static func finish(
        _ bits: UInt32, digits: Int, padding: Int, into output: inout ByteBuffer
    ) throws(PropertyListError) {
        let left = digits & 3
        guard left != 1, padding == 0 || left + padding == 4 else {
            throw PropertyListError(
                reason: "a <data> element's base64 is incomplete; it needs groups of four characters")
        }
        if left == 2 { output.append(UInt8(truncatingIfNeeded: bits >> 4)) }
        if left == 3 {
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// The base64 of data in JSON answers (RFC 4648, section 4), on one line and padded.
public enum Base64Text {
    /// Decodes padded base64 without white space; returns nil for any other text.
    public static func bytes(_ text: String) -> [UInt8]? {
        var text = text
        text.makeContiguousUTF8()
        let digits = text.utf8Span.span
        guard digits.count % 4 == 0 else { return nil }
        var padding = 0
        for index in digits.indices {
            if digits[index] <= 0x20 { return nil }
            if digits[index] == UInt8(ascii: "=") { padding += 1 }
        }
        guard padding <= 2 else { return nil }
        var output = ByteBuffer()
        do {
            try Base64Decoder.decode(digits, into: &output)
        } catch {
            return nil
        }
        return Array(copying: output.span)
    }
}
