internal import Bytes
internal import PropertyLists

/// Divides groups of records by the values of one field; linear in the records and their bytes.
struct FacetDivision: ~Copyable {
    private var groups = FacetGroups()
    private var values = FacetValues()
    /// By the number of a value: the group before in which it was seen last, and its group within that.
    private var seen: [(before: Int, group: Int)] = []
    /// The number of records in each group.
    private var counts: [Int] = []
    private var packed = ByteBuffer()

    /// The groups of the records that have the same value, within the groups before.
    ///
    /// - Parameter order: the numbers of the records, group after group; put into the order of the new groups.
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
                let value = PackedFieldList.firstValue(named: name.span, in: bytes.span, record.fields)
                try FacetText.append(value, in: bytes.span, to: &text)
                if text.count == 0 { text.append(FacetText.none) }
                numbers[place] = UInt32(division.group(of: text.span, at: record.place, within: group))
            }
        }
        return division.finish(&order, numbers)
    }

    /// The number of the group of one more record, by the text of its value; the first one there makes a new row.
    private mutating func group(of text: Span<UInt8>, at place: PackedPosition, within before: Int) -> Int {
        let number = values.number(of: text)
        if number == seen.count { seen.append((-1, 0)) }
        if seen[number].before != before {
            seen[number] = (before, counts.count)
            counts.append(0)
            addRow(text, at: place)
        }
        counts[seen[number].group] += 1
        return seen[number].group
    }

    /// Adds the row of a group, whose one field is its title.
    private mutating func addRow(_ text: Span<UInt8>, at place: PackedPosition) {
        let start = packed.count
        packed.append(run: "Title".utf8Span.span)
        packed.append(PackedTag.string)
        packed.append(run: text)
        let end = packed.count
        groups.rows.append(PendingRow(fields: start..<end, title: end - text.count..<end, place: place))
    }

    /// Puts the records into the order of their groups; those of one group stay in theirs.
    private consuming func finish(_ order: inout [UInt32], _ numbers: [UInt32]) -> FacetGroups {
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
