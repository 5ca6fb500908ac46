/// What every reader tells and every writer is told: one property list as a sequence of events.
///
/// A dictionary is `beginDictionary`, then `key` and one value for each entry, then `endDictionary`.
/// Spans are UTF-8 that the reader has checked, and are lent for the call only.
/// A consumer refuses a document by throwing; the reader adds the position where it stands.
public protocol PropertyListConsumer: ~Copyable {
    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError)
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    mutating func endDictionary() throws(PropertyListError)
    mutating func beginArray(at position: SourcePosition) throws(PropertyListError)
    mutating func endArray() throws(PropertyListError)
    mutating func string(_ text: Span<UInt8>) throws(PropertyListError)
    /// The same for a consumer that wants to know where its texts are; readers tell strings so.
    mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    mutating func integer(_ value: PropertyListInteger) throws(PropertyListError)
    mutating func real(_ value: Double) throws(PropertyListError)
    mutating func boolean(_ value: Bool) throws(PropertyListError)
    /// - Parameter seconds: since 2001-01-01T00:00:00Z, finite and within the years 1 … 9999.
    mutating func date(_ seconds: Double) throws(PropertyListError)
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError)
    /// A keyed archive's object reference.
    mutating func uid(_ value: UInt64) throws(PropertyListError)
    /// The titles from the root to where the reader stands, for the reader's own errors; nil if there are none.
    func currentPath() -> String?
}

extension PropertyListConsumer where Self: ~Copyable {
    @inlinable @inline(__always)
    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try string(text)
    }

    public func currentPath() -> String? { nil }
}
