import Bytes
import PropertyLists

/// A number of a property list, or a text that is a JSON number. Comparisons of integers use all digits.
enum ExactNumber {
    case integer(Int128)
    case real(Double)
    /// An integer beyond 128 bits, as decimal digits without leading zeros.
    case large(digits: [UInt8], isNegative: Bool)

    init(magnitude: UInt64, isNegative: Bool) {
        self = .integer(isNegative ? -Int128(magnitude) : Int128(magnitude))
    }

    /// Whether the value is NaN, which equals nothing.
    var isNaN: Bool { if case .real(let value) = self { value.isNaN } else { false } }

    private var rounded: Double {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .large(let digits, let isNegative):
            Double((isNegative ? "-" : "") + String(utf8: digits.span)) ?? .nan
        }
    }
}

extension ExactNumber {
    /// Appends a key: bytes that sort in the order of the numbers. Equal numbers have equal bytes; NaN sorts last.
    func appendKey(to output: inout ByteBuffer) {
        if case .integer(let value) = self, let small = Int64(exactly: value), small.magnitude < 1 << 53 {
            output.append(bigEndian: Self.orderedBits(Double(small)))
            return output.append(Self.exact)
        }
        let rounded = rounded
        output.append(bigEndian: Self.orderedBits(rounded))
        switch self {
        case .real: output.append(Self.exact)
        case .integer(let value): Self.append(residual: value - (Int128(exactly: rounded) ?? .max), to: &output)
        case .large(let digits, let isNegative):
            Self.append(digits, isNegative: isNegative, isBelowInfinity: rounded.isInfinite, to: &output)
        }
    }

    // A key begins with the number as a `Double`. The rest of an integer that the `Double` does not represent follows:
    // a byte for the kind of rest, and the bytes of the rest. All these bytes sort in the order of the rests.
    private static let exact: UInt8 = 0x80

    /// Returns bits that, as unsigned integers, sort in the order of the floating-point numbers. Both zeros have the
    /// same bits.
    private static func orderedBits(_ value: Double) -> UInt64 {
        if value.isNaN { return .max }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func append(residual: Int128, to output: inout ByteBuffer) {
        guard residual != 0 else { return output.append(exact) }
        output.append(residual < 0 ? exact - 1 : exact + 1)
        let bits = UInt128(truncatingIfNeeded: residual)
        output.append(bigEndian: UInt64(truncatingIfNeeded: bits >> 64))
        output.append(bigEndian: UInt64(truncatingIfNeeded: bits))
    }

    private static func append(
        _ digits: [UInt8], isNegative: Bool, isBelowInfinity: Bool, to output: inout ByteBuffer
    ) {
        let distance: UInt8 = isNegative == isBelowInfinity ? exact + 2 : exact - 2
        output.append(distance)
        let mask: UInt8 = isNegative ? 0xFF : 0
        for step in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: digits.count >> step) ^ mask) }
        for digit in digits { output.append(digit ^ mask) }
    }
}

extension ExactNumber: Comparable {
    static func == (one: ExactNumber, other: ExactNumber) -> Bool {
        if case .integer(let one) = one, case .integer(let other) = other { return one == other }
        return !one.isNaN && one.key == other.key
    }

    static func < (one: ExactNumber, other: ExactNumber) -> Bool {
        if case .integer(let one) = one, case .integer(let other) = other { return one < other }
        return !one.isNaN && !other.isNaN && one.key.lexicographicallyPrecedes(other.key)
    }

    private var key: [UInt8] {
        var output = ByteBuffer(capacity: 32)
        appendKey(to: &output)
        return Array(copying: output.span)
    }
}

extension ByteBuffer {
    /// Appends a word, highest byte first, so that the bytes sort in the order of the words.
    mutating func append(bigEndian word: UInt64) { append(littleEndian: word.byteSwapped) }
}

extension ExactNumber {
    /// Reads text that is entirely a JSON number (RFC 8259, section 6); nil for other text.
    init?(text: Span<UInt8>) {
        guard let form = text.jsonNumberForm else { return nil }
        guard form == .real else {
            let isNegative = text[0] == UInt8(ascii: "-")
            self.init(digits: text.extracting((isNegative ? 1 : 0)...), isNegative: isNegative)
            return
        }
        guard let value = Double(String(utf8: text)) else { return nil }
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
}
