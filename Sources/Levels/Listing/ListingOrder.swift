/// The order and the sections that the rows of a level should have: named by a query, or by the item itself.
public struct ListingOrder: Hashable, Sendable {
    /// The order of the rows: nil if none is named, without criteria for that of the document.
    public var sort: RowOrder?
    /// What divides the rows into sections; nil if nothing is named.
    public var group: RowGrouping?

    /// An order of which nothing is named unless given.
    public init(sort: RowOrder? = nil, group: RowGrouping? = nil) {
        self.sort = sort
        self.group = group
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
