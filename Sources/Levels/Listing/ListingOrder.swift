internal import Bytes

/// The order and the sections of a level's rows, from a query or from the item itself.
public struct ListingOrder: Hashable, Sendable, CustomStringConvertible {
    /// The order of the rows; nil if unspecified, `RowOrder.document` for the document's order.
    public var sort: RowOrder?
    /// The grouping into sections; nil if unspecified.
    public var group: RowGrouping?

    /// Creates an order, by default unspecified.
    public init(sort: RowOrder? = nil, group: RowGrouping? = nil) {
        self.sort = sort
        self.group = group
    }

    /// The specified parts, such as `sort -Price,Title; group initial`.
    public var description: String {
        [sort.map { "sort \($0)" }, group.map { "group \($0)" }].compactMap(\.self).joined(separator: "; ")
    }

    /// Returns the order, with the unspecified parts taken from another order.
    public func completed(by other: ListingOrder?) -> ListingOrder {
        ListingOrder(sort: sort ?? other?.sort, group: group ?? other?.group)
    }
}

extension Listing {
    /// Sorts and groups the rows. Rows that are grouped by letter are sorted by title, unless the order specifies
    /// otherwise.
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
    /// Whether the item orders the level below it. Reads only one byte of the row.
    public var hasOrder: Bool {
        let bytes = level.bytes
        return Row.flags(in: bytes.span, number: row).contains(.arrangesLevel)
    }

    /// The order of the level below the item, from `SortBy` and `GroupBy`; nil if the item has neither field.
    public var order: ListingOrder? {
        guard hasOrder else { return nil }
        let bytes = level.bytes
        let row = level.row(row)
        return ListingOrder(
            sort: row.text(ofField: "SortBy", in: bytes.span).flatMap(Self.order),
            group: row.text(ofField: "GroupBy", in: bytes.span).map { RowGrouping($0) })
    }

    /// Reads an order that was checked when the document was read.
    private static func order(_ text: String) -> RowOrder? {
        do { return try RowOrder(text) } catch { return nil }
    }
}

/// Sorting, grouping and filtering, as the query options do.
extension Listing {
    /// Creates the listing of a level's rows under a query.
    ///
    /// - Parameter own: the order of the item above the level. It supplies the parts of the order that the query does
    ///   not specify.
    init(_ level: Level?, by query: RowQuery, own: ListingOrder? = nil, texts: SearchTexts) {
        self.init(level)
        if let search = ItemSearch(query) { self.search(search, texts: texts) }
        for condition in query.conditions { filter(byAny: [condition]) }
        if !query.alternatives.isEmpty { filter(byAny: query.alternatives) }
        order(by: query.order.completed(by: own))
    }

    /// Sorts the rows as one section, in O(n log n). Changes nothing if `order` is without criteria.
    public mutating func sort(by order: RowOrder) {
        guard !order.criteria.isEmpty else { return }
        arrange(
            located(0..<count).positions(sortedBy: order), into: .stored([]),
            known: known?.isDocument == true ? KnownOrder(fields: order) : nil)
    }

    /// Divides the rows into sections, in O(n), and sorts the rows within each section.
    ///
    /// - Parameter order: the new order; nil to keep the present order.
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

    /// The sections of divided rows, in a form that does not depend on this listing.
    ///
    /// The title of a section by a field is read from the section's first row. If only this listing has places for the
    /// rows, the sections are therefore stored with their titles.
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

    /// Shows only the rows that meet at least one of some conditions. Leaves out sections that are then empty.
    public mutating func filter(byAny conditions: [RowCondition]) {
        filter { place, level in
            let bytes = level.bytes
            let row = Row(in: bytes.span, number: place.row)
            for condition in conditions where condition.holds(for: row, in: bytes.span) { return true }
            return false
        }
    }

    /// Visits each row in order, with the bytes of the row's level.
    func forEachRow(_ visit: (_ row: Row, _ bytes: Span<UInt8>) -> Void) {
        let places: [Place]
        switch rows {
        case .part(let part, _, _): places = part
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
    /// An arrangement of a level's rows. It does not include the level, so it serves every level with the same content.
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
                case .level, .part: 0
                }
            return 256 + count * 4 + (known?.sectionMarks.count ?? 0) * 8 + (sections?.cost ?? 0)
        }
    }

    /// The arrangement; nil for an unchanged level, and for rows that are listed by their places.
    public var arranged: Arranged? {
        switch rows {
        case .numbers, .items: Arranged(rows: rows, sections: ownSections, extras: extras, known: known)
        case .level, .part: nil
        }
    }

    /// Creates the listing of a level with a known arrangement.
    public init(level: Level, as arranged: Arranged) {
        self.init(
            level: level, rows: arranged.rows, sections: arranged.sections, extras: arranged.extras,
            known: arranged.known)
    }
}

/// Comparing items of two revisions.
extension Item {
    /// Whether two items have the same level, in the same order, below the same titles. If so, the answers about the
    /// two levels are the same.
    ///
    /// Levels are compared by identity, so equal levels that were read separately may count as different.
    public func hasSameLevel(as other: Item) -> Bool {
        guard steps.count == other.steps.count, level === other.level, own.order == other.own.order else {
            return false
        }
        return zip(steps, other.steps).allSatisfy { $0.hasSameTitle(as: $1) }
    }
}
