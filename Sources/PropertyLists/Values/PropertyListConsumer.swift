/// Receives one property list as a sequence of events, from a reader or for a writer.
///
/// A dictionary is `beginDictionary`, then `key` and one value for each entry, then `endDictionary`.
/// Spans are UTF-8 that the reader has checked, and are valid only during the call.
/// A consumer refuses a document by throwing; the reader adds its current position.
///
/// A position is that of a value's first byte; the column of a text document is counted in bytes.
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
    /// A text with its position; readers call this one.
    mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    /// A number, a Boolean, a date or a UID.
    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError)
    /// Data.
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError)
    /// Whether a reader leaves out JSON's dictionary entries with `null`, as if they were not there.
    static var omitsNullEntries: Bool { get }
    /// JSON's `null`: the document itself, an element, or an entry unless the consumer omits such entries.
    mutating func null() throws(PropertyListError)
    /// The titles from the root to the reader's current position, if any, for the reader's own errors.
    func currentPath() -> String?
}

extension PropertyListConsumer where Self: ~Copyable {
    /// Ignores the position.
    @inlinable @inline(__always)
    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try string(text)
    }

    /// False.
    public static var omitsNullEntries: Bool { false }

    /// Throws, because a property list cannot contain null.
    public mutating func null() throws(PropertyListError) {
        throw PropertyListError(reason: "a property list cannot contain null; omit the entry")
    }

    /// Returns nil: the consumer knows no titles.
    public func currentPath() -> String? { nil }
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

    /// - Throws: `PropertyListError` for no value, several values, or an unfinished value.
    @usableFromInline
    func check() throws(PropertyListError) {
        guard depth == 0 else {
            throw PropertyListError(
                reason: "the property list cannot end here: \(depth) of its containers are still open")
        }
        guard roots == 1 else {
            throw PropertyListError(reason: "a property list is one value, but \(roots) were written")
        }
    }
}
