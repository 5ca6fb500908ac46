internal import Bytes

/// A small property list value in memory: the body of a request, or the fields of one item.
///
/// A whole document never has this form, because readers send events instead.
public indirect enum PropertyListValue: Sendable {
    case string(String)
    case integer(PropertyListInteger)
    /// May be infinite or NaN; NaN is not equal to itself.
    case real(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data([UInt8])
    case uid(UInt64)
    case array([PropertyListValue])
    case dictionary(PropertyListDictionary)
    /// JSON's `null`. A document cannot contain it; in a merge patch, it removes a field (RFC 7396).
    case null
}

extension PropertyListValue {
    /// Creates a value from a number, a Boolean, a date or a UID.
    public init(_ scalar: PropertyListScalar) {
        switch scalar {
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .boolean(let value): self = .boolean(value)
        case .date(let seconds): self = .date(seconds)
        case .uid(let value): self = .uid(value)
        }
    }

    /// The value if it is a number, a Boolean, a date or a UID; otherwise nil.
    public var scalar: PropertyListScalar? {
        switch self {
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .boolean(let value): .boolean(value)
        case .date(let seconds): .date(seconds)
        case .uid(let value): .uid(value)
        case .string, .data, .array, .dictionary, .null: nil
        }
    }
}

extension PropertyListValue: Equatable {
    /// Whether two values are equal. Texts are equal if their UTF-8 is equal, whereas Swift compares strings by
    /// canonical equivalence.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)): one.hasSameUTF8(as: other)
        case (.data(let one), .data(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.dictionary(let one), .dictionary(let other)): one == other
        case (.null, .null): true
        default: one.scalar != nil && one.scalar == other.scalar
        }
    }
}

/// The entries of a dictionary, in document order. Each key occurs once.
///
/// Two keys are equal if their UTF-8 is equal.
public struct PropertyListDictionary: Sendable, Equatable {
    /// A key and its value.
    public struct Entry: Sendable, Equatable {
        public let key: String
        public var value: PropertyListValue

        public init(key: String, value: PropertyListValue) {
            self.key = key
            self.value = value
        }

        /// Whether the keys and the values are equal. Texts are compared by their UTF-8.
        public static func == (one: Self, other: Self) -> Bool {
            one.key.hasSameUTF8(as: other.key) && one.value == other.value
        }
    }

    public private(set) var entries: [Entry] = []
    /// The numbers of the entries by key. Empty for up to `searched` entries, whose keys are compared one by one.
    private var numbers: [[UInt8]: Int] = [:]
    private static let searched = 16

    public init() {}

    /// Creates a dictionary. Of several entries with the same key, only the last one counts, as in a document.
    public init(_ entries: [Entry]) {
        self.entries = entries
        fillNumbers()
        guard hasRepeatedKeys else { return }
        var seen: Set<[UInt8]> = []
        self.entries = entries.reversed().filter { seen.insert(Array($0.key.utf8)).inserted }.reversed()
        fillNumbers()
    }

    private var hasRepeatedKeys: Bool {
        if !numbers.isEmpty { return numbers.count < entries.count }
        return entries.indices.contains { number in
            entries[..<number].contains { $0.key.hasSameUTF8(as: entries[number].key) }
        }
    }

    private mutating func fillNumbers() {
        numbers = [:]
        guard entries.count > Self.searched else { return }
        numbers.reserveCapacity(entries.count)
        for (number, entry) in entries.enumerated() { numbers[Array(entry.key.utf8)] = number }
    }

    private func number(of key: String) -> Int? {
        numbers.isEmpty ? entries.firstIndex { $0.key.hasSameUTF8(as: key) } : numbers[Array(key.utf8)]
    }

    /// The value of a key, if any. Setting a value for a new key adds an entry at the end; setting nil removes the
    /// entry.
    ///
    /// - Complexity: O(1), but O(entries) to remove an entry.
    public subscript(key: String) -> PropertyListValue? {
        get { number(of: key).map { entries[$0].value } }
        set {
            switch (number(of: key), newValue) {
            case (let number?, let value?): entries[number].value = value
            case (let number?, nil):
                entries.remove(at: number)
                fillNumbers()
            case (nil, let value?):
                entries.append(Entry(key: key, value: value))
                if !numbers.isEmpty {
                    numbers[Array(key.utf8)] = entries.count - 1
                } else if entries.count > Self.searched {
                    fillNumbers()
                }
            case (nil, nil): break
            }
        }
    }

    /// Returns the dictionary without the entries for whose keys `isRemoved` returns true.
    ///
    /// - Complexity: O(entries).
    public func removing(_ isRemoved: (String) -> Bool) -> PropertyListDictionary {
        PropertyListDictionary(entries.filter { !isRemoved($0.key) })
    }

    /// Whether two dictionaries have the same entries in the same order.
    public static func == (one: Self, other: Self) -> Bool { one.entries == other.entries }
}
