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

extension UInt8 {
    /// The value of a hexadecimal digit in either case; nil for another character.
    @inlinable @inline(__always)
    public var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// Creates bytes from pairs of hexadecimal digits in either case; nil for other text.
    public init?(hexadecimal text: Span<UInt8>) {
        guard text.count % 2 == 0 else { return nil }
        self = []
        reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = text[index].hexadecimalValue, let low = text[index + 1].hexadecimalValue else {
                return nil
            }
            append(high << 4 | low)
        }
    }

    /// The bytes as pairs of hexadecimal digits in lower case.
    public var hexadecimal: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}

/// The form of a JSON number (RFC 8259, section 6).
public enum JSONNumberForm: Sendable {
    /// Digits, optionally after a minus sign.
    case integer
    /// A number with a fraction or an exponent.
    case real
}

extension Span<UInt8> {
    /// The form of the JSON number that the text is entirely; nil for other text.
    @inlinable
    public var jsonNumberForm: JSONNumberForm? {
        // Most texts begin with neither a digit nor a minus sign.
        guard !isEmpty, self[0] == UInt8(ascii: "-") || isDigit(at: 0) else { return nil }
        let start = self[0] == UInt8(ascii: "-") ? 1 : 0
        var place = start
        guard skipDigits(at: &place), place == start + 1 || self[start] != UInt8(ascii: "0") else { return nil }
        if place == count { return .integer }
        if self[place] == UInt8(ascii: ".") {
            place += 1
            guard skipDigits(at: &place) else { return nil }
        }
        if place < count, self[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < count, self[place] == UInt8(ascii: "+") || self[place] == UInt8(ascii: "-") { place += 1 }
            guard skipDigits(at: &place) else { return nil }
        }
        return place == count ? .real : nil
    }

    @inlinable
    func isDigit(at place: Int) -> Bool { self[place] &- UInt8(ascii: "0") < 10 }

    /// Moves a place past digits. Returns whether there was a digit.
    @inlinable
    func skipDigits(at place: inout Int) -> Bool {
        let start = place
        while place < count, isDigit(at: place) { place += 1 }
        return place > start
    }
}

extension String {
    /// Creates the hexadecimal text of a number, with leading zeros up to a number of digits.
    public init(hexadecimal number: some UnsignedInteger, digits: Int, uppercase: Bool = true) {
        let text = String(number, radix: 16, uppercase: uppercase)
        self = String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}

extension Span<UInt8> {
    /// Reads an unsigned LEB128 number (groups of seven bits, lowest first), and moves the offset past it.
    @inlinable @inline(__always)
    public func leb128(at offset: inout Int) -> UInt64 {
        var value = UInt64(self[offset])
        offset += 1
        guard value >= 0x80 else { return value }
        value &= 0x7F
        var shift: UInt64 = 7
        while true {
            let next = self[offset]
            offset += 1
            value |= UInt64(next & 0x7F) &<< shift
            if next < 0x80 { return value }
            shift += 7
        }
    }
}

extension ByteBuffer {
    /// Appends an unsigned number as LEB128, in one to ten bytes.
    @inlinable @inline(__always)
    public mutating func append(leb128 number: UInt64) {
        // Each store writes a whole word, of which only one byte counts.
        guard reserve(18) else { return }
        var rest = number
        while rest >= 0x80 {
            store(rest & 0x7F | 0x80, counting: 1)
            rest &>>= 7
        }
        store(rest, counting: 1)
    }
}

extension Span<UInt8> {
    /// Eight bytes as a word, the first byte highest, so that words compare as their bytes do.
    @inlinable @inline(__always)
    public func bigEndianWord(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + 8 <= count)
        // The precondition keeps the load inside the span.
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }.bigEndian
    }
}
