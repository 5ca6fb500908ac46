internal import Bytes
internal import PropertyLists

/// Divides groups of records by the values of one field, in time linear in the records and their bytes.
struct FacetDivision: ~Copyable {
    private var groups = FacetGroups()
    /// For each value, by the hash of its text in NFC: the latest previous group that contains the value, and the new
    /// group for the value within that previous group.
    private var seen: [ContentHash: (before: Int, group: Int)] = [:]
    private var counts: [Int] = []
    private var packed = ByteBuffer()

    /// Divides each group of `before` by the values of a field; returns the new groups.
    ///
    /// - Parameter order: the numbers of the records in the order of their groups. On return, the numbers are in the
    ///   order of the new groups.
    static func divide(
        _ before: FacetGroups, by field: String, order: inout [UInt32], of records: borrowing SetAsideRows
    ) throws(PropertyListError) -> FacetGroups {
        var division = FacetDivision()
        let name = Array(field.utf8)
        let bytes = records.bytes
        var text = ByteBuffer()
        var numbers = [UInt32](repeating: 0, count: order.count)
        for group in 0..<before.count {
            division.groups.firsts.append(division.counts.count)
            for place in before.records(of: group) {
                let record = records.rows[Int(order[place])]
                text.truncate(to: 0)
                let value = PackedDictionary(bytes: bytes.span, fields: record.fields).value(under: name.span)
                try FacetText.append(value, in: bytes.span, to: &text)
                if text.count == 0 { text.append(FacetText.none) }
                numbers[place] = UInt32(division.group(of: text.span, at: record.place, within: group))
            }
        }
        return division.finish(&order, numbers: numbers)
    }

    /// Returns the new group of the next record, which depends on the text of the record's value. For the first record
    /// of a group, adds the row of the group.
    private mutating func group(of text: Span<UInt8>, at place: PackedPosition, within before: Int) -> Int {
        let value = ContentHash(normalizing: text)
        if let known = seen[value], known.before == before {
            counts[known.group] += 1
            return known.group
        }
        seen[value] = (before, counts.count)
        counts.append(1)
        addRow(text, at: place)
        return counts.count - 1
    }

    /// Adds the row of a group. The only field of the row is its title.
    private mutating func addRow(_ text: Span<UInt8>, at place: PackedPosition) {
        let start = packed.count
        packed.append(run: "Title".utf8Span.span)
        packed.append(PackedTag.string, content: text)
        let end = packed.count
        groups.rows.append(PendingRow(fields: start..<end, title: end - text.count..<end, place: place))
    }

    /// Sorts the records by group; the sort is stable.
    private consuming func finish(_ order: inout [UInt32], numbers: [UInt32]) -> FacetGroups {
        groups.firsts.append(counts.count)
        groups.bytes = Array(copying: packed.span)
        var next: [Int] = []
        for count in counts {
            next.append(groups.starts[groups.starts.count - 1])
            groups.starts.append(groups.starts[groups.starts.count - 1] + count)
        }
        let old = order
        for place in old.indices {
            let group = Int(numbers[place])
            order[next[group]] = old[place]
            next[group] += 1
        }
        return groups
    }
}

/// The records of a table divided by a field: one group for each value within each previous group.
///
/// Groups are numbered by previous group, then by first appearance, so that the groups within a previous group are
/// adjacent.
struct FacetGroups {
    /// The number of the first group within each previous group. The last element is the number of groups.
    var firsts: [Int] = []
    /// The start of each group's records in the order. The last element is the number of records.
    var starts: [Int] = [0]
    /// The rows of the groups, and the bytes of these rows.
    var rows: [PendingRow] = []
    var bytes: [UInt8] = []

    var count: Int { starts.count - 1 }

    func records(of group: Int) -> Range<Int> { starts[group]..<starts[group + 1] }

    /// The groups within a previous group.
    func groups(within group: Int) -> Range<Int> { firsts[group]..<firsts[group + 1] }
}

/// The displayed text of a record's value: a string itself, or else the JSON text.
enum FacetText {
    /// The text for a missing or empty value.
    static var none: StaticString { "(none)" }

    static func append(
        _ value: Int?, in bytes: Span<UInt8>, to text: inout ByteBuffer
    ) throws(PropertyListError) {
        guard let value else { return }
        var reader = PackedReader(bytes: bytes, at: value)
        switch PackedTag(rawValue: reader.byte()) {
        case .string: text.append(bytes.extracting(reader.run()))
        case .data, .array, .dictionary, .uid: try appendJSON(value, in: bytes, to: &text)
        default: text.append(PackedReader(bytes: bytes, at: value).scalarText ?? "")
        }
    }

    /// Appends the JSON text of a value. Data appears as base64 without quotation marks.
    private static func appendJSON(
        _ value: Int, in bytes: Span<UInt8>, to text: inout ByteBuffer
    ) throws(PropertyListError) {
        var writer = JSONPropertyListWriter()
        var walk = PackedWalk()
        _ = try walk.tell(bytes, at: value, to: &writer)
        let isQuoted = bytes[value] == PackedTag.data.rawValue
        let json = writer.output.span
        text.append(isQuoted ? json.extracting(1..<json.count - 1) : json)
    }
}
