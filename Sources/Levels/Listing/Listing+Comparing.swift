internal import Bytes

/// What query options do to the rows of a listing.
extension Listing {
    /// Sorts the rows into one section, in O(n log n); an order without criteria changes nothing.
    public mutating func sort(by order: RowOrder) {
        guard !order.criteria.isEmpty else { return }
        var keys = SortKeys(capacity: count)
        located(0..<count).forEachRow { row, bytes in keys.append(row, in: bytes, by: order) }
        arrange(keys.sorted())
    }

    /// Divides the rows into sections, in O(n).
    public mutating func group(by grouping: RowGrouping) {
        let (positions, sections) = grouping.divide(located(0..<count))
        arrange(positions, into: sections)
    }

    /// Shows only the rows for which a condition holds; a section that has none left is left out.
    public mutating func filter(by condition: RowCondition) {
        filter { place, level in
            let bytes = level.bytes
            return condition.holds(for: Row(in: bytes.span, number: place.row), in: bytes.span)
        }
    }

    /// Passes each row with the bytes of its level, in order.
    func forEachRow(_ visit: (_ row: Row, _ bytes: Span<UInt8>) -> Void) {
        let places: [Place]
        switch rows {
        case .places(let all), .part(let all, _, _): places = all
        case .level, .numbers, .items:
            guard let level else { return }
            let bytes = level.bytes
            for position in 0..<count { visit(Row(in: bytes.span, number: place(at: position).row), bytes.span) }
            return
        }
        for place in places {
            guard let level = level(of: place) else { continue }
            let bytes = level.bytes
            visit(Row(in: bytes.span, number: place.row), bytes.span)
        }
    }
}
