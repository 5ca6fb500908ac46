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
