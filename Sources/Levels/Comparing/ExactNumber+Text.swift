import Bytes
import PropertyLists

extension ExactNumber {
    /// Reads text that is wholly a number of JSON (RFC 8259, section 6); nil for all other text.
    init?(text: Span<UInt8>) {
        // Most texts begin with neither a digit nor a minus sign.
        guard let first = text.isEmpty ? nil : text[0], first == UInt8(ascii: "-") || Self.isDigit(first) else {
            return nil
        }
        var place = first == UInt8(ascii: "-") ? 1 : 0
        let whole = Self.digits(of: text, at: &place)
        guard !whole.isEmpty, whole.count == 1 || text[whole.lowerBound] != UInt8(ascii: "0") else { return nil }
        if place == text.count {
            self.init(digits: text.extracting(whole), isNegative: whole.lowerBound == 1)
            return
        }
        guard Self.skipFraction(of: text, at: &place), Self.skipExponent(of: text, at: &place), place == text.count,
            let value = Double(String(utf8: text))
        else { return nil }
        self = .real(value)
    }

    private init(digits: Span<UInt8>, isNegative: Bool) {
        var value: Int128 = 0
        for index in digits.indices {
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = tens.addingReportingOverflow(Int128(digits[index] - UInt8(ascii: "0")))
            guard !overflows, !carries else {
                self = .large(digits: Array(copying: digits), isNegative: isNegative)
                return
            }
            value = sum
        }
        self = .integer(isNegative ? -value : value)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func digits(of text: Span<UInt8>, at place: inout Int) -> Range<Int> {
        let start = place
        while place < text.count, isDigit(text[place]) { place += 1 }
        return start..<place
    }

    /// Steps over a fraction, where there is one; false where it has no digits.
    private static func skipFraction(of text: Span<UInt8>, at place: inout Int) -> Bool {
        guard place < text.count, text[place] == UInt8(ascii: ".") else { return true }
        place += 1
        return !digits(of: text, at: &place).isEmpty
    }

    /// Steps over an exponent, where there is one; false where it has no digits.
    private static func skipExponent(of text: Span<UInt8>, at place: inout Int) -> Bool {
        guard place < text.count, text[place] | 0x20 == UInt8(ascii: "e") else { return true }
        place += 1
        if place < text.count, text[place] == UInt8(ascii: "+") || text[place] == UInt8(ascii: "-") { place += 1 }
        return !digits(of: text, at: &place).isEmpty
    }
}
