internal import Bytes
internal import Levels
internal import PropertyLists

/// An entry of a dictionary before or after an edit.
struct SplicedField {
    enum Content {
        case packed(WrittenItem.Field)
        case value(PropertyListValue)
        /// Rows that stay as they are.
        case place
    }

    let name: [UInt8]
    let content: Content

    init(_ field: WrittenItem.Field) {
        name = field.name
        content = .packed(field)
    }

    init(_ entry: PropertyListDictionary.Entry) {
        name = Array(entry.key.utf8)
        content = .value(entry.value)
    }

    init(_ entry: NaturalChange.Entry) {
        name = entry.name
        content = entry.value.map { .value($0) } ?? .place
    }

    /// Whether the value of the entry contains rows.
    var isPlace: Bool {
        switch content {
        case .packed(let field): field.form != nil
        case .value: false
        case .place: true
        }
    }

    func value() throws(PropertyListError) -> PropertyListValue {
        switch content {
        case .packed(let field): try PropertyListValue(field)
        case .value(let value): value
        case .place: throw .contradictoryEdit
        }
    }

    /// Whether two entries have the same value.
    func isSame(as other: SplicedField) throws(PropertyListError) -> Bool {
        if case .packed(let one) = content, case .packed(let other) = other.content {
            return one.form == other.form && one.packed == other.packed
        }
        return try value().isWritten(like: other.value())
    }
}

extension PropertyListValue {
    /// The value of a packed field.
    init(_ field: WrittenItem.Field) throws(PropertyListError) {
        var builder = PropertyListValueBuilder()
        try field.tell(to: &builder)
        guard let value = builder.value else { throw .contradictoryEdit }
        self = value
    }

    /// Whether the value is written as an array or a dictionary.
    var isContainer: Bool {
        switch self {
        case .array, .dictionary, .uid: true
        default: false
        }
    }

    /// Whether two values are written in the same way. Unlike with `==`, numbers are compared bit for bit.
    func isWritten(like other: PropertyListValue) -> Bool {
        switch (self, other) {
        case (.real(let one), .real(let other)), (.date(let one), .date(let other)):
            one.bitPattern == other.bitPattern
        case (.array(let ones), .array(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy { $0.isWritten(like: $1) }
        case (.dictionary(let one), .dictionary(let other)):
            one.entries.count == other.entries.count
                && zip(one.entries, other.entries).allSatisfy {
                    $0.key.hasSameUTF8(as: $1.key) && $0.value.isWritten(like: $1.value)
                }
        default: self == other
        }
    }
}

/// Finds entries of a dictionary that can stay in place when the order of the entries changes.
enum EntryOrder {
    /// Finds the longest ascending subsequence of entries that includes the pinned entry.
    ///
    /// - Parameters:
    ///   - old: the number in the old order for each entry of the new order; nil for new entries.
    ///   - pinned: the index in `old` of an entry that must stay.
    /// - Returns: `old`, with nil for the entries that cannot stay.
    static func staying(_ old: [Int?], pinned: Int?) -> [Int?] {
        guard let pinned, let bound = old[pinned] else { return increasing(old) }
        let before = increasing(old[..<pinned].map { $0.flatMap { $0 < bound ? $0 : nil } })
        let after = increasing(old[(pinned + 1)...].map { $0.flatMap { $0 > bound ? $0 : nil } })
        return before + [bound] + after
    }

    /// The longest increasing subsequence; nil for the other numbers.
    private static func increasing(_ numbers: [Int?]) -> [Int?] {
        let known = numbers.indices.compactMap { place in numbers[place].map { (place: place, number: $0) } }
        var kept = [Int?](repeating: nil, count: numbers.count)
        for index in known.longestOrderedIndices(by: { $0.number < $1.number }) {
            kept[known[index].place] = known[index].number
        }
        return kept
    }
}
