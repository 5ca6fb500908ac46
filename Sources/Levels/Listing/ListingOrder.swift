internal import Bytes

/// The order and the sections that the rows of a level should have: named by a query, or by the item itself.
public struct ListingOrder: Hashable, Sendable, CustomStringConvertible {
    /// The order of the rows: nil if none is named, without criteria for that of the document.
    public var sort: RowOrder?
    /// What divides the rows into sections; nil if nothing is named.
    public var group: RowGrouping?

    /// An order of which nothing is named unless given.
    public init(sort: RowOrder? = nil, group: RowGrouping? = nil) {
        self.sort = sort
        self.group = group
    }

    /// The named parts, as `sort -Price,Title; group initial`.
    public var description: String {
        [sort.map { "sort \($0)" }, group.map { "group \($0)" }].compactMap(\.self).joined(separator: "; ")
    }

    /// This order, with the parts of another one in place of those that it does not name.
    public func completed(by other: ListingOrder?) -> ListingOrder {
        ListingOrder(sort: sort ?? other?.sort, group: group ?? other?.group)
    }
}

extension Listing {
    /// Sorts the rows and divides them into sections; sections by letter are sorted by title unless an order is named.
    public mutating func order(by order: ListingOrder) {
        let sort = order.sort ?? (order.group == .initial ? .title : nil)
        if let group = order.group, group != .document {
            self.group(by: group, sortedBy: sort)
        } else if let sort {
            self.sort(by: sort)
        }
    }
}

extension Item.Step {
    /// Whether the item orders the level below it; one byte of the row is read.
    public var hasOrder: Bool {
        let bytes = level.bytes
        return Row.flags(in: bytes.span, number: row).contains(.arrangesLevel)
    }

    /// The order that the item gives to the level below it by `SortBy` and `GroupBy`; nil if it has neither.
    public var order: ListingOrder? {
        guard hasOrder else { return nil }
        let bytes = level.bytes
        let row = level.row(row)
        return ListingOrder(
            sort: row.text(ofField: "SortBy", in: bytes.span).flatMap(Self.order),
            group: row.text(ofField: "GroupBy", in: bytes.span).map { RowGrouping($0) })
    }

    /// An order that was checked when the document was read.
    private static func order(_ text: String) -> RowOrder? {
        do { return try RowOrder(text) } catch { return nil }
    }
}

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

extension Listing {
    /// What steps made of a level's rows: kept apart from the level, it serves every level with the same content.
    public struct Arranged: Sendable {
        let rows: Rows
        let sections: ListingSections.Storage?
        let extras: Extras
        let known: KnownOrder?

        /// The approximate memory use, in bytes.
        public var cost: Int {
            let count =
                switch rows {
                case .numbers(let numbers): numbers.count
                case .items(let items): items.numbers.count
                case .level, .places, .part: 0
                }
            return 256 + count * 4 + (known?.sectionMarks.count ?? 0) * 8 + (sections?.cost ?? 0)
        }
    }

    /// The arrangement; nil for a level that nothing was done to, and for rows that have places in several levels.
    public var arranged: Arranged? {
        switch rows {
        case .numbers, .items: Arranged(rows: rows, sections: ownSections, extras: extras, known: known)
        case .level, .places, .part: nil
        }
    }

    /// Creates the listing of a level whose arrangement is known.
    public init(_ level: Level, as arranged: Arranged) {
        self.init(level, arranged.rows, sections: arranged.sections, extras: arranged.extras, known: arranged.known)
    }
}

/// Comparing items of two revisions.
extension Item {
    /// Whether the same level, in the same order, is below the same titles, so that its answer does not differ.
    ///
    /// Levels are compared by identity: an equal level that was read again may count as different.
    public func hasSameLevel(as other: Item) -> Bool {
        guard steps.count == other.steps.count, level === other.level, own.order == other.own.order else {
            return false
        }
        return zip(steps, other.steps).allSatisfy { $0.hasSameTitle(as: $1) }
    }

    /// Whether the item is in the same list of siblings below the same titles, so that none of its answers differs.
    public func hasSameSurroundings(as other: Item) -> Bool {
        guard let above, let otherAbove = other.above else { return own.level === other.own.level }
        return own.row == other.own.row && above.hasSameLevel(as: otherAbove)
    }

    /// The item above; nil for the root.
    private var above: Item? { steps.count > 1 ? Item(Array(steps.dropLast())) : nil }
}
