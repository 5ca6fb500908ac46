internal import Bytes
internal import PropertyLists

/// What is asked of the rows below an item: plain data, which a tree answers from memory and another source in its own
/// way, such as by SQL.
public struct RowQuery: Hashable, Sendable {
    /// Conditions on the rows; all must hold.
    public var conditions: [RowCondition] = []
    /// A text that the rows contain, case and accents ignored; the rows of all levels below are searched then. Something
    /// is left of it after folding (`ItemSearch`).
    public var search: String?
    /// What the search looks at; nil for titles, of which those that match best come first unless an order is named.
    public var searchedFields: SearchedFields?
    /// The order and the sections of the rows. What it does not name, the item itself decides (`SortBy`, `GroupBy`) unless
    /// there is a search.
    public var order = ListingOrder()
    /// Rearrangements that no other member tells, in this order, before the rows are ordered.
    public var rearrangements: [AnyRowRearrangement] = []
    /// The rows that are open in an outline; nil for the rows of one level.
    public var outline: OutlineOpening?
    /// Which of the rows are asked for.
    public var page = PageQuery()
    /// The fields that each row shows.
    public var fields = FieldSelection.cell

    /// A query for the first page of the rows, as the document has them.
    public init() {}

    /// Whether the order of the item itself holds for what the query does not name.
    public var usesOwnOrder: Bool { search == nil }

    /// Whether the best hits of the search come first.
    public var isRanked: Bool {
        search != nil && searchedFields == nil && order.sort == nil && order.group != .initial
    }

    /// Whether the rows of all levels below are looked at, not only those of the level.
    public var looksBelow: Bool { search != nil || outline != nil }

    /// Whether the query itself decides which rows of a level there are, or their order.
    public var arrangesRows: Bool {
        !conditions.isEmpty || search != nil || order != ListingOrder() || !rearrangements.isEmpty
    }

    /// What decides which rows there are and their order: the same query for all pages and fields.
    public var arrangement: RowQuery {
        var query = self
        (query.page, query.fields) = (PageQuery(), .cell)
        return query
    }

    /// How many rows are looked at to find out which rows of a level are shown, and in what order.
    func work(on level: Level?) -> Int {
        guard let level, arrangesRows else { return 0 }
        return search == nil ? level.count : level.itemCount
    }
}

extension ItemSearch {
    /// The search of a query; nil if it has none.
    init?(_ query: RowQuery) {
        guard let text = query.search else { return nil }
        self.init(text, in: query.searchedFields ?? .title, isRanked: query.isRanked)
    }
}

extension RowQuery: CustomStringConvertible {
    /// The members that differ from those of a new query, as `where Price<10; sort -Price,Title; limit 20`.
    public var description: String {
        var parts = conditions.map { "where \($0)" }
        if let search { parts.append("search \(QuotedText(search)) in \(searchedFields ?? .title)") }
        parts += rearrangements.map { $0.base.description }
        if order != ListingOrder() { parts.append("\(order)") }
        if let outline { parts.append("\(outline)") }
        if let limit = page.limit { parts.append("limit \(limit)") }
        if let start = page.start { parts.append("start \(start)") }
        if page.after != nil { parts.append("after a bookmark") }
        if fields != .cell { parts.append("fields \(fields)") }
        return parts.joined(separator: "; ")
    }
}

/// Which rows of a list a page has.
public struct PageQuery: Hashable, Sendable {
    /// The number of rows of a page unless a query names one.
    public static let defaultLimit = 1_000

    /// The number of rows; nil for the default.
    public var limit: Int?
    /// The end of the previous page.
    public var after: RowBookmark?
    /// The position of the first row.
    public var start: Int?

    /// The first page.
    public init() {}

    /// Whether the query selects a page.
    public var isAsked: Bool { limit != nil || after != nil || start != nil }

    /// The positions of a page that begins at a position of a list.
    public func positions(from start: Int, of count: Int) -> Range<Int> {
        let start = min(start, count)
        return start..<start + min(count - start, limit ?? Self.defaultLimit)
    }
}

/// The end of a page, remembered without memory on the server.
public enum RowBookmark: Hashable, Sendable {
    /// In a list that is not an outline.
    case row(Bookmark)
    /// In an outline.
    case outline(OutlinePlace)
}

/// A rearrangement of rows that a query option of its own asks for. A source that does not know its type refuses it.
public protocol RowRearrangement: Hashable, Sendable, CustomStringConvertible {
    /// Changes which rows there are, their order or their sections.
    func apply(to listing: inout Listing)
}

/// A rearrangement of any type.
public struct AnyRowRearrangement: Hashable, Sendable {
    /// The rearrangement itself.
    public let base: any RowRearrangement

    /// Wraps a rearrangement.
    public init(_ base: some RowRearrangement) { self.base = base }

    public static func == (one: AnyRowRearrangement, other: AnyRowRearrangement) -> Bool {
        one.base.isEqual(to: other.base)
    }

    public func hash(into hasher: inout Hasher) { base.hash(into: &hasher) }
}

extension RowRearrangement {
    fileprivate func isEqual(to other: any RowRearrangement) -> Bool { other as? Self == self }
}
