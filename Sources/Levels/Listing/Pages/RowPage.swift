internal import Bytes

/// A page of rows: the answer to a `RowQuery`.
///
/// Each row is a view of a packed level. The page of a tree refers to a level of the tree. Another source packs the
/// rows of one page into a separate level (`RowPacker`).
///
/// `RowSource.page(_:below:)` returns a page. The query of the following page takes `next` as `page.after`.
public struct RowPage: Sendable {
    /// The listing with the page's rows.
    let listing: Listing
    /// The numbers of the page's rows. The functions of the page refer to a row by its number. The numbers are
    /// consecutive, but need not begin with 0.
    public let numbers: Range<Int>
    /// The position of the first row among all rows.
    public let start: Int
    /// The number of rows on all pages.
    public let count: Int
    private let isOutline: Bool
    /// Additions to a level that was packed for the page.
    private let supplied: Supplied?

    /// Additions to a level that was packed for one page.
    private final class Supplied: Sendable {
        let isEstimate: Bool
        let sections: [Section]
        let childCounts: [Int]
        let next: RowBookmark?
        let notes: Notes

        init(isEstimate: Bool, sections: [Section], childCounts: [Int], next: RowBookmark?, notes: Notes) {
            self.isEstimate = isEstimate
            self.sections = sections
            self.childCounts = childCounts
            self.next = next
            self.notes = notes
        }
    }

    /// A source's notes on a page and its rows.
    public struct Notes: Sendable {
        /// The reason why not all rows are shown; nil if all rows are shown.
        public var refusal: String?
        /// The reasons why fields are not shown, by the number of the row.
        public var rowRefusals: [Int: String] = [:]
        /// The records to which rows refer.
        public var references = RowReferences()
        /// The rows, by their numbers, whose count of rows below is an estimate.
        public var estimatedCounts: Set<Int> = []
        /// The order of the rows; nil if the rows compare as in a tree.
        public var order: IndexOrder?
        /// Whether the rows are hits of a search.
        public var areHits = false
        /// The names of all fields of the rows; nil if the page has all fields.
        public var fieldNames: [[UInt8]]?
        /// The number of rows below the item without a query, if `find` did not count them; otherwise nil.
        public var itemCount: Int?

        public init() {}
    }

    /// The order of an index.
    public struct IndexOrder: Sendable, Equatable {
        /// The names of the fields. A `-` before a name means descending order.
        public let fields: [String]
        /// The index's collation for texts; nil for the order of the bytes.
        public let collation: String?

        public init(fields: [String], collation: String?) { (self.fields, self.collation) = (fields, collation) }
    }

    init(listing: Listing, positions: Range<Int>, isOutline: Bool = false) {
        self.listing = listing
        self.isOutline = isOutline
        numbers = positions
        start = positions.lowerBound
        count = listing.count
        supplied = nil
    }

    /// Creates a page of all rows of a listing.
    public init(_ listing: Listing) { self.init(listing: listing, positions: 0..<listing.count) }

    /// Creates a page of rows that were packed for this page.
    ///
    /// - Parameters:
    ///   - level: the rows of the page.
    ///   - start: the position of the first row among all rows.
    ///   - count: the number of rows on all pages.
    ///   - isEstimate: whether `count` is an estimate.
    ///   - sections: the sections of all rows; empty for one section without a title.
    ///   - childCounts: the number of rows below each row of the page.
    ///   - next: the end of the page; nil if no rows follow.
    ///   - notes: the source's notes on the page.
    public init(
        level: Level?, start: Int, of count: Int, isEstimate: Bool = false, sections: [Section] = [],
        childCounts: [Int], next: RowBookmark?, notes: Notes = Notes()
    ) {
        var listing = Listing(level)
        if notes.areHits {
            let places = (0..<listing.count).map { Place(row: $0) }
            listing.show(places, from: 0, of: places.count, with: .trail)
        }
        self.listing = listing
        numbers = 0..<listing.count
        self.start = start
        self.count = count
        isOutline = false
        supplied = Supplied(
            isEstimate: isEstimate, sections: sections, childCounts: childCounts, next: next, notes: notes)
    }

    /// Creates a page of the hits of a search in several levels that were packed for their pages.
    ///
    /// - Parameters:
    ///   - level: the level that is searched.
    ///   - hits: the hits on the level itself: the numbers of its rows.
    ///   - counts: the numbers of rows below these hits, and whether they are estimates.
    ///   - below: the hits on the levels below rows of the level, with the numbers of these rows.
    ///   - page: the hits to show.
    ///   - next: returns the end of the page, for the position of the first hit after it.
    ///   - refusal: the reason why not all hits are found; nil if all are found.
    public init(
        hits: [Int], on level: Level, counts: [(number: Int, isEstimate: Bool)], below: [(row: Int, page: RowPage)],
        showing page: PageQuery,
        from start: Int, refusal: String?, next: (Int) -> RowBookmark
    ) {
        var children = [Level?](repeating: nil, count: level.count)
        for part in below { children[part.row] = part.page.listing.level }
        var listing = Listing(level.replacing(children: children))
        var found = hits.map { (place: Place(row: $0), page: RowPage?.none, number: 0) }
        for part in below {
            guard let branch = listing.addBranch(below: Place(row: part.row)) else { continue }
            found += part.page.numbers.map { (Place(branch: branch, row: $0), part.page, $0) }
        }
        let positions = page.positions(from: start, of: found.count)
        var notes = Notes()
        (notes.areHits, notes.refusal) = (true, refusal)
        var childCounts: [Int] = []
        for (number, position) in positions.enumerated() {
            let hit = found[position]
            guard let page = hit.page else {
                childCounts.append(counts[position].number)
                if counts[position].isEstimate { notes.estimatedCounts.insert(number) }
                continue
            }
            childCounts.append(page.supplied?.childCounts[hit.number] ?? 0)
            if page.supplied?.notes.estimatedCounts.contains(hit.number) == true {
                notes.estimatedCounts.insert(number)
            }
            notes.rowRefusals[number] = page.supplied?.notes.rowRefusals[hit.number]
            for link in page.references?.links(ofRow: hit.number) ?? [] {
                notes.references.note(notes.references.add(link), ofRow: number)
            }
        }
        listing.show(positions.map { found[$0].place }, from: 0, of: positions.count, with: .trail)
        self.listing = listing
        numbers = 0..<positions.count
        (self.start, count, isOutline) = (positions.lowerBound, found.count, false)
        supplied = Supplied(
            isEstimate: false, sections: [], childCounts: childCounts,
            next: positions.upperBound < found.count ? next(positions.upperBound) : nil, notes: notes)
    }

    /// Whether `count` is an estimate.
    public var isEstimate: Bool { supplied?.isEstimate ?? false }

    /// The end of the page; nil if no rows follow.
    public var next: RowBookmark? {
        if let supplied { return supplied.next }
        guard numbers.upperBound < count else { return nil }
        if isOutline { return .outline(OutlinePlace(at: numbers.upperBound - 1, in: listing)) }
        return .row(listing.bookmark(before: numbers.upperBound))
    }

    /// The reason why the level, or a part of it, could not be read; otherwise nil.
    public var refusal: String? { supplied.map(\.notes.refusal) ?? (count == 0 ? listing.level?.refusal : nil) }

    /// The approximate memory use of the page's rows, in bytes.
    public var residentBytes: Int { (listing.level?.residentBytes ?? 0) + 1_024 }

    /// The order of the rows; nil if the rows compare as in a tree.
    public var order: IndexOrder? { supplied?.notes.order }

    /// The number of rows below the item without a query, if `find` did not count them; otherwise nil.
    public var itemCount: Int? { supplied?.notes.itemCount }

    /// The records to which rows refer; nil if the rows are not records.
    public var references: RowReferences? { supplied?.notes.references }

    /// The names of all fields of the rows; nil if the page has all fields.
    var fieldNames: [[UInt8]]? { supplied?.notes.fieldNames }
}

/// A row, as a view of its packed form.
public struct RowView: ~Escapable {
    public let bytes: Span<UInt8>
    /// The ranges of the row's parts in `bytes`.
    public let packed: Row
    /// The number of rows below the row.
    public let count: Int
    /// Whether there is nothing below the row: neither rows nor sections.
    public let isLeaf: Bool
    /// Whether `count` is an estimate.
    public let isEstimate: Bool
    /// The reason why the level below could not be read, or why a field of the row is not shown; otherwise nil.
    public let refusal: String?
    /// Whether the field that gives the key is shown like others.
    private let showsKey: Bool

    @inline(__always)
    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, number: Int, of level: Level) {
        self.bytes = bytes
        packed = Row(in: bytes, number: number)
        showsKey = level.form.showsKeys
        let count = level.childCount(number)
        let elsewhere = count == 0 ? level.child(number)?.countElsewhere : nil
        self.count = elsewhere ?? count
        isLeaf = self.count == 0 && level.child(number)?.showsOnlySections != true
        isEstimate = elsewhere != nil
        refusal = count == 0 ? level.child(number)?.refusal : nil
    }

    @_lifetime(copy bytes)
    init(
        bytes: Span<UInt8>, number: Int, of level: Level, count: Int, isEstimate: Bool, refusal: String?
    ) {
        self.bytes = bytes
        packed = Row(in: bytes, number: number)
        showsKey = level.form.showsKeys
        self.count = count
        isLeaf = count == 0
        self.isEstimate = isEstimate
        self.refusal = refusal
    }

    /// The UTF-8 of the key.
    @inline(__always)
    public var key: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(packed.key) }
    }

    /// The UTF-8 of the title.
    @inline(__always)
    public var title: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(packed.title) }
    }

    /// Whether the row shows a value of its item without being asked (`FieldSelection.short`).
    @inline(__always)
    public func showsUnasked(valueAt offset: Int) -> Bool {
        guard offset != packed.keySource || showsKey else { return false }
        switch PackedTag(rawValue: bytes[offset]) {
        case .string:
            var reader = PackedReader(bytes: bytes, at: offset + 1)
            let text = reader.run()
            return text.count <= FieldSelection.longestShortText && text.lowerBound != packed.titleSource
                && offset != packed.titleSource
        case .no, .yes, .positive, .negative, .real, .date: return offset != packed.titleSource
        default: return false
        }
    }
}

extension Item.Step {
    /// Visits the row.
    public func withRow<Result, Failure: Error>(
        _ visit: (_ row: borrowing RowView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = level.bytes
        return try visit(RowView(bytes: bytes.span, number: row, of: level))
    }
}

extension RowPage {
    /// Whether all rows are on the item's own level, so that only the rows themselves are written.
    public var isOfOneLevel: Bool {
        switch listing.rows {
        case .level, .numbers: true
        case .items, .part: false
        }
    }

    /// Visits each row of a page of one level (`isOfOneLevel`).
    public func forEachRow<Failure: Error>(
        _ visit: (_ row: borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        guard let level = listing.level else { return }
        let bytes = level.bytes
        switch listing.rows {
        case .numbers(let rows):
            for number in numbers { try visit(RowView(bytes: bytes.span, number: Int(rows[number]), of: level)) }
        default:
            for number in numbers {
                try visit(view(of: number, in: level, bytes: bytes.span, row: number))
            }
        }
    }

    @_lifetime(copy bytes)
    private func view(of number: Int, in level: Level, bytes: Span<UInt8>, row: Int) -> RowView {
        guard let supplied else { return RowView(bytes: bytes, number: row, of: level) }
        return RowView(
            bytes: bytes, number: row, of: level, count: supplied.childCounts[number],
            isEstimate: supplied.notes.estimatedCounts.contains(number), refusal: supplied.notes.rowRefusals[number])
    }

    /// Visits the row with a number, if the page has that row.
    public func withRow<Failure: Error>(
        _ number: Int, _ visit: (_ row: borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        let place = listing.place(at: number)
        guard let level = listing.level(of: place) else { return }
        let bytes = level.bytes
        try visit(view(of: number, in: level, bytes: bytes.span, row: place.row))
    }

    /// Whether answers show a row of this page and a row of another page alike; false unless each page is of one level.
    public func hasRow(_ number: Int, readAs otherNumber: Int, of other: RowPage) -> Bool {
        guard isOfOneLevel, other.isOfOneLevel, let one = listing.step(at: number),
            let two = other.listing.step(at: otherNumber)
        else { return false }
        guard supplied?.childCounts[number] == other.supplied?.childCounts[otherNumber],
            supplied?.notes.rowRefusals[number] == other.supplied?.notes.rowRefusals[otherNumber],
            references?.links(ofRow: number) == other.references?.links(ofRow: otherNumber)
        else { return false }
        return one.level.childCount(one.row) == two.level.childCount(two.row)
            && one.level.child(one.row)?.refusal == two.level.child(two.row)?.refusal
            && (one.level.child(one.row)?.showsOnlySections ?? false)
                == (two.level.child(two.row)?.showsOnlySections ?? false)
            && one.level.child(one.row)?.countElsewhere == two.level.child(two.row)?.countElsewhere
            && one.level.packsRow(one.row, asRow: two.row, of: two.level)
    }

    // MARK: Rows of several levels

    /// The number of a row's level among the levels of the page; 0 for the item's own level.
    public func branch(of number: Int) -> Int { listing.place(at: number).branch }

    /// The rows between the item and a row, the outermost first.
    public func rows(above number: Int) -> [Item.Step] { listing.rows(above: listing.place(at: number)) }

    /// The members that an answer adds to each row.
    public var extras: Listing.Extras { listing.extras }

    /// A row's place in an outline: the depth of the row, whether the rows below it follow, and whether it is the first
    /// or the last sibling.
    public func outlineMarks(of number: Int) -> (indent: Int, isExpanded: Bool, isFirst: Bool, isLast: Bool) {
        let place = listing.place(at: number)
        let isAtEnd = listing.isAtEnd(place)
        return (listing.indent(of: place), listing.isExpanded(at: number), isAtEnd.first, isAtEnd.last)
    }

    /// The sections of all rows; at least one.
    public var sections: ListingSections {
        let sections = supplied.map { ListingSections(storage: .stored($0.sections[...]), of: listing) }
        let all = sections ?? listing.sections
        return all.isEmpty ? ListingSections(storage: .stored([Section(rows: count)]), of: listing) : all
    }
}

extension Listing {
    /// The row at a position; nil past the ends.
    public func step(at position: Int) -> Item.Step? {
        guard position >= 0, position < count else { return nil }
        let place = place(at: position)
        return level(of: place).map { Item.Step(level: $0, row: place.row) }
    }
}

extension RowsDifference {
    /// Compares the rows of two pages. In the difference, positions are the numbers of the rows.
    public init(from old: RowPage, to new: RowPage) {
        self.init(from: old.listing, oldRows: old.numbers, to: new.listing, newRows: new.numbers)
    }
}
