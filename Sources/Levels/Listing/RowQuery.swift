internal import Bytes
internal import PropertyLists

/// A query for the rows below an item, as plain data. A tree answers a query from memory. Another source answers it in
/// its own way, for example with SQL.
///
/// A new query asks for the first page of the rows in the order of the document. Set the members that differ:
///
///     var query = RowQuery()
///     query.conditions = [RowCondition("Price<10")].compactMap(\.self)
///     query.order.sort = try RowOrder("-Price,Title")
///     query.page.limit = 20
///     print(query)  // where Price<10; sort -Price,Title; limit 20
public struct RowQuery: Hashable, Sendable {
    /// Conditions on the rows; all must hold.
    public var conditions: [RowCondition] = []
    /// Further conditions, of which at least one must hold; empty to set none.
    public var alternatives: [RowCondition] = []
    /// A text to search for in the rows of all levels below, ignoring case and accents. The text must not be empty
    /// after folding (`ItemSearch`).
    public var search: String?
    /// The searched fields. Nil for titles; the best matches then come first, unless an order is given.
    public var searchedFields: SearchedFields?
    /// The order and the sections of the rows. Without a search, the item itself supplies unspecified parts (`SortBy`,
    /// `GroupBy`).
    public var order = ListingOrder()
    /// The open rows of an outline; nil for the rows of one level.
    public var outline: OutlineOpening?
    /// The requested page.
    public var page = PageQuery()
    /// The fields that each row shows.
    public var fields = FieldSelection.short
    /// Whether each row needs the number of the rows below it. If not, a source may leave the numbers out, and refuse the
    /// query if it cannot find the rows soon.
    public var countsBelow = true

    /// Creates a query for the first page of the rows, in the order of the document.
    public init() {}

    /// Whether the item's own order supplies unspecified parts of the order.
    public var usesOwnOrder: Bool { search == nil }

    /// Whether the best hits come first.
    public var isRanked: Bool {
        search != nil && searchedFields == nil && order.sort == nil && order.group != .initial
    }

    /// Whether the rows of all levels below are looked at.
    public var looksBelow: Bool { search != nil || outline != nil }

    /// Whether the query itself determines the rows of a level or their order.
    public var arrangesRows: Bool {
        hasConditions || search != nil || order != ListingOrder()
    }

    /// Whether the query sets conditions on the rows.
    public var hasConditions: Bool { !conditions.isEmpty || !alternatives.isEmpty }

    /// The parts of a row that are compared to choose, sort or group the rows, not counting the search.
    public var comparedFields: [RowField] {
        var fields = (conditions + alternatives).map(\.field) + (order.sort?.criteria.map(\.field) ?? [])
        if case .field(let field)? = order.group { fields.append(field) }
        return fields
    }

    /// The part of the query that determines the rows and their order. It is the same for all pages and fields.
    public var arrangement: RowQuery {
        var query = self
        (query.page, query.fields) = (PageQuery(), .short)
        return query
    }

    /// The number of rows that must be looked at to determine a level's shown rows and their order.
    func work(on level: Level?) -> Int {
        guard let level, arrangesRows else { return 0 }
        return search == nil ? level.count : level.itemCount
    }
}

extension ItemSearch {
    /// The search of a query, if any.
    init?(_ query: RowQuery) {
        guard let text = query.search else { return nil }
        self.init(text: text, in: query.searchedFields ?? .title, isRanked: query.isRanked)
    }
}

extension RowQuery: CustomStringConvertible {
    /// The members that differ from the defaults, such as `where Price<10; sort -Price,Title; limit 20`.
    public var description: String {
        var parts = conditions.map { "where \($0)" } + alternatives.map { "any \($0)" }
        if let search { parts.append("search \(QuotedText(text: search)) in \(searchedFields ?? .title)") }
        if order != ListingOrder() { parts.append("\(order)") }
        if let outline { parts.append("\(outline)") }
        if let limit = page.limit { parts.append("limit \(limit)") }
        if let start = page.start { parts.append("start \(start.number)") }
        if page.after != nil { parts.append("after a bookmark") }
        switch page.sections {
        case .all: break
        case .ofPage: parts.append("sections of the page")
        case .atMost(let count): parts.append("at most \(count) sections")
        }
        if fields != .short { parts.append("fields \(fields)") }
        return parts.joined(separator: "; ")
    }
}

/// The selection of a page from the rows of a list.
public struct PageQuery: Hashable, Sendable {
    /// The default number of rows.
    public static let defaultLimit = 1_000

    /// The number of rows; nil for the default.
    public var limit: Int?
    /// The end of the previous page; nil to begin at `start`.
    public var after: RowBookmark?
    /// The position of the first row; nil for 0. If `after` is set, it determines the first row instead.
    public var start: RowOffset?
    /// The sections in the answer.
    public var sections = Sections.all

    /// The selection of sections for the answer.
    public enum Sections: Hashable, Sendable {
        case all
        /// Only the sections with rows on the page.
        case ofPage
        /// All sections. If there are more than this number, only the sections with rows on the page.
        case atMost(Int)
    }

    /// Creates the selection of the first page.
    public init() {}

    /// Whether the query selects a page.
    public var isAsked: Bool { limit != nil || after != nil || start != nil }

    /// The position of the first row if `after` is not set.
    public var firstPosition: Int { start?.number ?? 0 }

    /// The positions of a page that begins at `start`.
    public func positions(from start: Int, of count: Int) -> Range<Int> {
        let start = min(start, count)
        return start..<start + min(count - start, limit ?? Self.defaultLimit)
    }
}

/// A number of rows from outside, such as a query option or a part of a cursor. The number is below 2^53, so sums of such
/// numbers never overflow.
public struct RowOffset: Hashable, Sendable {
    public let number: Int
    public static let largest = 1 << 53 - 1

    /// The result is nil for a number that is negative, or not below 2^53.
    public init?(_ number: some BinaryInteger) {
        guard number >= 0, number <= Self.largest else { return nil }
        self.number = Int(number)
    }

    /// Makes the nearest number of this range.
    public init(clamping number: Int) { self.number = min(max(number, 0), Self.largest) }
}

/// The end of a page, which the client remembers and sends for the next page.
public enum RowBookmark: Hashable, Sendable {
    /// The end of a page outside of an outline.
    case row(Bookmark)
    /// The end of a page of an outline.
    case outline(OutlinePlace)
    /// The end of a page of a source that is not in memory: bytes that only the source can read, such as the values of
    /// a row.
    case supplied([UInt8])
}
