public import Bytes

/// Receives one property list as a sequence of events, from a reader or for a writer.
///
/// A dictionary is `beginDictionary`, then `key` and one value for each entry, then `endDictionary`.
/// Spans are UTF-8 that the reader has checked, and are valid only during the call.
/// A consumer refuses a document by throwing; the reader adds its current position.
///
/// Positions are those of the values' first bytes; the column of a text document is counted in bytes.
public protocol PropertyListConsumer: ~Copyable {
    /// A dictionary begins; its entries follow, each a `key` and a value.
    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError)
    /// The key of the value that follows.
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    /// The innermost container, a dictionary, ends.
    mutating func endDictionary() throws(PropertyListError)
    /// An array begins; its elements follow.
    mutating func beginArray(at position: SourcePosition) throws(PropertyListError)
    /// The innermost container, an array, ends.
    mutating func endArray() throws(PropertyListError)
    /// A text.
    mutating func string(_ text: Span<UInt8>) throws(PropertyListError)
    /// The same with the position of the text; readers call this one for strings.
    mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    /// An integer.
    mutating func integer(_ value: PropertyListInteger) throws(PropertyListError)
    /// A real number, which may be infinite or not a number.
    mutating func real(_ value: Double) throws(PropertyListError)
    /// A boolean.
    mutating func boolean(_ value: Bool) throws(PropertyListError)
    /// A date.
    ///
    /// - Parameter seconds: since 2001-01-01T00:00:00Z, finite and within the years 1 … 9999.
    mutating func date(_ seconds: Double) throws(PropertyListError)
    /// Data.
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError)
    /// A keyed archive's object reference.
    mutating func uid(_ value: UInt64) throws(PropertyListError)
    /// JSON's `null`, which no document can contain.
    mutating func null() throws(PropertyListError)
    /// The titles from the root to the reader's current position, for the reader's own errors; nil if there are none.
    func currentPath() -> String?
}

extension PropertyListConsumer where Self: ~Copyable {
    /// Ignores the position.
    @inlinable @inline(__always)
    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try string(text)
    }

    /// Refuses it.
    public mutating func null() throws(PropertyListError) {
        throw PropertyListError("a property list cannot contain null; omit the entry")
    }

    /// No titles.
    public func currentPath() -> String? { nil }
}

/// An integer of a property list: −2⁶³ … 2⁶⁴−1, the range that the XML and binary formats share.
public struct PropertyListInteger: Equatable, Hashable, Sendable {
    /// The 64 bits; two's complement if `isNegative`.
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

/// Checks that a writer has received exactly one complete value.
@usableFromInline
struct Completeness {
    @usableFromInline var roots = 0
    @usableFromInline var depth = 0

    @inlinable
    init() {}

    /// Counts a value, a container at its beginning.
    @inlinable @inline(__always)
    mutating func value() { if depth == 0 { roots &+= 1 } }

    @inlinable @inline(__always)
    mutating func begin() { depth &+= 1 }

    @inlinable @inline(__always)
    mutating func end() { depth &-= 1 }

    /// - Throws: `PropertyListError` if there is no value, several values, or an unfinished one.
    @usableFromInline
    func check() throws(PropertyListError) {
        guard depth == 0 else {
            throw PropertyListError("the property list cannot end here: \(depth) of its containers are still open")
        }
        guard roots == 1 else {
            throw PropertyListError("a property list is one value, but \(roots) were written")
        }
    }
}
