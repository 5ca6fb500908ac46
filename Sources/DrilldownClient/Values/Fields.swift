/// The fields of an item by name, in the order of the document.
///
/// ```swift
/// var fields: Fields = ["Title": "Screen G", "Price": 12]
/// fields["Price"] = 15
/// for (name, value) in fields { print(name, value) }
/// ```
///
/// Two values are equal if they have the same fields in the same order.
public struct Fields: Sendable {
    /// A field: its name and its value.
    public typealias Element = (name: String, value: FieldValue)

    private(set) var entries: [Entry]
    /// The position of each name. Empty if the fields are few: these are searched in order.
    private var positions: [String: Int]

    struct Entry: Hashable, Sendable {
        var name: String
        var value: FieldValue
    }

    /// Creates an empty list of fields.
    public init() {
        entries = []
        positions = [:]
    }

    /// Creates the fields of a sequence. A name that appears several times keeps its first position and its last value.
    public init(_ fields: some Sequence<(String, FieldValue)>) {
        self.init()
        for (name, value) in fields { self[name] = value }
    }

    /// Creates the fields of a dictionary, ordered by name.
    public init(_ fields: [String: FieldValue]) {
        self.init(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// The value of a field; nil if the field is absent. A new field is appended at the end.
    ///
    /// Assigning nil takes the field out of this list. To remove a field of the item with a patch, assign `.null`.
    public subscript(name: String) -> FieldValue? {
        get { position(of: name).map { entries[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?): entries[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    /// Returns the value for a coding key: the field of this name, or the value at a path with dots through
    /// dictionaries, or the field of this name with a capital letter.
    func value(named name: String) -> FieldValue? {
        if let position = position(of: name) { return entries[position].value }
        // Comparing the texts is faster than making the name with a capital letter.
        if let first = name.utf8.first, (97...122).contains(first) {
            let (capital, count, rest) = (first - 32, name.utf8.count, name.utf8.dropFirst())
            for entry in entries where entry.name.utf8.count == count && entry.name.utf8.first == capital {
                if entry.name.utf8.dropFirst().elementsEqual(rest) { return entry.value }
            }
        }
        guard let dot = name.firstIndex(of: ".") else { return .none }
        return value(named: String(name[..<dot]))?.dictionary?.value(named: String(name[name.index(after: dot)...]))
    }

    /// The names in order.
    public var names: [String] { entries.map(\.name) }

    private static let fewest = 16

    private func position(of name: String) -> Int? {
        positions.isEmpty ? entries.firstIndex { $0.name == name } : positions[name]
    }

    private mutating func append(_ name: String, _ value: FieldValue) {
        entries.append(Entry(name: name, value: value))
        if entries.count > Self.fewest {
            if positions.isEmpty {
                for (position, entry) in entries.enumerated() { positions[entry.name] = position }
            } else {
                positions[name] = entries.count - 1
            }
        }
    }

    private mutating func remove(at position: Int) {
        let fields = entries[..<position] + entries[(position + 1)...]
        self = Fields(fields.lazy.map { ($0.name, $0.value) })
    }
}

extension Fields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }

    /// The position after the last field.
    public var endIndex: Int { entries.count }

    /// The field at a position.
    public subscript(position: Int) -> Element { (entries[position].name, entries[position].value) }
}

extension Fields: Hashable {
    /// Returns whether two values have the same fields in the same order.
    public static func == (left: Fields, right: Fields) -> Bool { left.entries == right.entries }

    /// Adds the fields to a hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// Creates the fields of a literal: `["Title": "Screen G", "Price": 12]`.
    public init(dictionaryLiteral fields: (String, FieldValue)...) { self.init(fields) }
}
