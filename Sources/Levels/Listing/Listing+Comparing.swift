internal import Bytes

/// What query options do to the rows of a listing.
extension Listing {
    /// Sorts the rows into one section, in O(n log n); an order without criteria changes nothing.
    public mutating func sort(by order: RowOrder) {
        guard !order.criteria.isEmpty else { return }
        arrange(
            located(0..<count).positions(sortedBy: order), into: .stored([]),
            known: known?.isDocument == true ? KnownOrder(fields: order) : nil)
    }

    /// Divides the rows into sections, in O(n), and sorts them within each.
    ///
    /// - Parameter order: nil to keep the order that the rows have.
    public mutating func group(by grouping: RowGrouping, sortedBy order: RowOrder? = nil) {
        let order = order.flatMap { $0.criteria.isEmpty ? nil : $0 }
        let located = located(0..<count)
        guard let divided = grouping.divide(located, sort: { order.map(located.positions(sortedBy:)) }) else { return }
        var ordered = known?.grouping == .document ? known : nil
        if let order { ordered = known?.isDocument == true ? KnownOrder(fields: order) : nil }
        ordered?.grouping = grouping
        ordered?.sectionMarks = divided.marks
        arrange(divided.positions, into: located.lasting(divided), known: ordered)
    }

    /// The sections of divided rows, with titles of their own if the rows have no places later.
    private func lasting(_ divided: RowGrouping.Divided) -> ListingSections.Storage {
        guard case .part = rows else { return divided.sections }
        var listing = self
        listing.arrange(divided.positions, into: divided.sections, known: nil)
        return .stored(Array(listing.sections)[...])
    }

    private func positions(sortedBy order: RowOrder) -> [Int] {
        var keys = SortKeys(capacity: count)
        forEachRow { row, bytes in keys.append(row, in: bytes, by: order) }
        return keys.sorted()
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
