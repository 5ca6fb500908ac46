/// Receives one property list as a sequence of events. Readers send these events to a consumer, and writers are
/// consumers.
///
/// The events of a dictionary are `beginDictionary`, then `key` and one value for each entry, then `endDictionary`.
/// Spans are UTF-8 that the reader has checked, and are valid only during the call. A consumer refuses a document by
/// throwing an error; the reader adds its current position to the error.
///
/// The position of a value is the position of its first byte. In a text document, the column is counted in bytes.
public protocol PropertyListConsumer: ~Copyable {
    /// A dictionary begins; its entries follow, each a `key` and a value.
    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError)
    /// The key of the value that follows.
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    /// The innermost container, which is a dictionary, ends.
    mutating func endDictionary() throws(PropertyListError)
    /// An array begins; its elements follow.
    mutating func beginArray(at position: SourcePosition) throws(PropertyListError)
    /// The innermost container, which is an array, ends.
    mutating func endArray() throws(PropertyListError)
    /// A text.
    mutating func string(_ text: Span<UInt8>) throws(PropertyListError)
    /// A text with its position. Readers call this method for every text.
    mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError)
    /// A number, a Boolean, a date or a UID.
    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError)
    /// Data.
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError)
    /// Whether a reader of JSON leaves out dictionary entries with the value `null`, as if they were not there.
    static var omitsNullEntries: Bool { get }
    /// JSON's `null`: the document itself, an element, or an entry. Not called for an entry if the consumer omits null
    /// entries.
    mutating func null() throws(PropertyListError)
    /// A fault of the text that does not keep it from being read: a whole sentence without the final full stop.
    mutating func warning(_ message: String, at position: SourcePosition)
    /// The titles from the root to the reader's current position, for the reader's own errors; nil if they are not
    /// known.
    func currentPath() -> String?
}

extension PropertyListConsumer where Self: ~Copyable {
    /// Ignores the position.
    @inlinable @inline(__always)
    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try string(text)
    }

    /// Returns false.
    public static var omitsNullEntries: Bool { false }

    /// Throws, because a property list cannot contain null.
    public mutating func null() throws(PropertyListError) {
        throw PropertyListError(reason: "a property list cannot contain null; omit the entry")
    }

    /// Ignores the warning.
    public mutating func warning(_ message: String, at position: SourcePosition) {}

    /// Returns nil, because the consumer does not know titles.
    public func currentPath() -> String? { nil }
}

/// Checks that a writer has received exactly one complete value.
@usableFromInline
struct Completeness {
    @usableFromInline var roots = 0
    @usableFromInline var depth = 0

    @inlinable
    init() {}

    /// Counts a value. A container is counted at its beginning.
    @inlinable @inline(__always)
    mutating func value() { if depth == 0 { roots &+= 1 } }

    @inlinable @inline(__always)
    mutating func begin() { depth &+= 1 }

    @inlinable @inline(__always)
    mutating func end() { depth &-= 1 }

    /// - Throws: `PropertyListError` if no value or several values were written, or if a value is unfinished.
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
