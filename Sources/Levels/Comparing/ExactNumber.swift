import Bytes
import PropertyLists

/// A number of a property list, or text that is wholly a number of JSON; an integer never loses digits in a comparison.
enum ExactNumber {
    case integer(Int128)
    case real(Double)
    /// An integer beyond 128 bits: its decimal digits without leading zeros.
    case large(digits: [UInt8], isNegative: Bool)

    init(magnitude: UInt64, isNegative: Bool) {
        self = .integer(isNegative ? -Int128(magnitude) : Int128(magnitude))
    }

    /// Whether it is no number at all, which nothing is equal to.
    var isNaN: Bool { if case .real(let value) = self { value.isNaN } else { false } }

    /// The nearest floating-point number.
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
    /// Appends bytes that are ordered as the numbers are, and equal for equal numbers; NaN is the last of them.
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
            Self.append(digits, isNegative, isBelowInfinity: rounded.isInfinite, to: &output)
        }
    }

    // What the floating-point number leaves of an integer follows it: a byte that tells of which kind that is, in
    // ascending order, and its bytes.
    private static let exact: UInt8 = 0x80

    /// Bits that are ordered, as unsigned numbers, as the floating-point numbers are; the two zeros are one.
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
        _ digits: [UInt8], _ isNegative: Bool, isBelowInfinity: Bool, to output: inout ByteBuffer
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
    /// Appends the eight bytes of a word, highest first, so that they are ordered as the words are.
    mutating func append(bigEndian word: UInt64) { append(littleEndian: word.byteSwapped) }
}
