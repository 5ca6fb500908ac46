/// A property list value in memory, for small ones: the body of a request, the fields of one item.
///
/// Documents are never held in this form; their readers send events.
public indirect enum PropertyListValue: Sendable, Equatable {
    case string(String)
    case integer(PropertyListInteger)
    /// May be infinite or not a number; two that are not a number count as different.
    case real(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data([UInt8])
    case uid(UInt64)
    case array([PropertyListValue])
    case dictionary(PropertyListDictionary)
    /// JSON's `null`, which no document can contain: in a merge patch it removes a field (RFC 7396).
    case null
}

/// The entries of a dictionary, in document order; each key occurs once.
public struct PropertyListDictionary: Sendable, Equatable {
    /// A key and its value.
    public struct Entry: Sendable, Equatable {
        public let key: String
        public var value: PropertyListValue

        public init(key: String, value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    public private(set) var entries: [Entry] = []

    /// No entry.
    public init() {}

    /// The value of a key; nil if there is none. Setting nil removes the entry, and a new key is added at the end.
    public subscript(key: String) -> PropertyListValue? {
        get { entries.first { $0.key == key }?.value }
        set {
            let index = entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}
