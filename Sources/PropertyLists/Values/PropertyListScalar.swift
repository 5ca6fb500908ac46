public import Bytes

/// A value of a fixed size; the other kinds of values are texts, data, arrays and dictionaries.
public enum PropertyListScalar: Equatable, Sendable {
    /// A whole number.
    case integer(PropertyListInteger)
    /// A real number, which may be infinite or not a number.
    case real(Double)
    /// True or false.
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z, finite and within the years 1 … 9999.
    case date(Double)
    /// A keyed archive's object reference.
    case uid(UInt64)

    /// The value as JSON without quotation marks; nil for a UID.
    public var text: String? {
        switch self {
        case .integer(let value): "\(value)"
        case .real(let value): JSONText.real(value)
        case .boolean(let value): value ? "true" : "false"
        case .date(let seconds): JSONText.date(seconds)
        case .uid: nil
        }
    }
}

/// An integer of a property list: −2⁶³ … 2⁶⁴−1, the range that the XML and binary formats share.
public struct PropertyListInteger: Equatable, Hashable, Sendable {
    /// The 64 bits of the value, in two's complement if `isNegative` is true.
    public let bits: UInt64
    /// Whether the value is below zero.
    public let isNegative: Bool

    /// Creates a value from a signed number.
    @inlinable
    public init(_ value: Int64) {
        bits = UInt64(bitPattern: value)
        isNegative = value < 0
    }

    /// Creates a value from an unsigned number.
    @inlinable
    public init(_ value: UInt64) {
        bits = value
        isNegative = false
    }

    /// Creates a value from a sign and a magnitude; nil outside −2⁶³ … 2⁶⁴−1.
    @inlinable
    public init?(magnitude: UInt64, isNegative: Bool) {
        if isNegative, magnitude > 1 << 63 { return nil }
        bits = isNegative ? 0 &- magnitude : magnitude
        self.isNegative = isNegative && magnitude != 0
    }

    /// The absolute value.
    @inlinable
    public var magnitude: UInt64 { isNegative ? 0 &- bits : bits }
}

extension PropertyListInteger: CustomStringConvertible {
    /// The decimal digits, after `-` if negative.
    public var description: String { isNegative ? "-\(magnitude)" : "\(magnitude)" }
}

extension ByteBuffer {
    /// Appends an integer's decimal digits, after `-` if it is negative.
    @inlinable
    public mutating func append(_ value: PropertyListInteger) {
        if value.isNegative { append(UInt8(ascii: "-")) }
        append(decimal: value.magnitude)
    }
}
