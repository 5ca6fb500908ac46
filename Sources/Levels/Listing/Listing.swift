internal import Bytes

/// The rows that an answer shows, all pages together: which rows, of which levels, in what order and sections.
///
/// Everything that works on rows works on listings: pages, cursors, links, versions and differences. An
/// unchanged listing is a level, and takes no memory.
public struct Listing: Sendable {
    /// Where the rows come from.
    public enum Rows: Sendable {
        /// All rows of the level, each at the position that is its number.
        case level
        /// Rows of the level, by number.
        case numbers([UInt32])
        /// Rows of the level and of levels below it.
        case places([Place])
        /// The same without places.
        case items(Items)
        /// Some rows of a longer list, the position of the first, and how many the list has.
        case part([Place], start: Int, count: Int)
    }

    /// What is written with each row, besides the row itself.
    public enum Extras: Sendable {
        /// Nothing.
        case none
        /// The titles between the listing's level and the row: for the hits of a search.
        case trail
        /// Where the row is in an outline: how deep, whether its children follow, and whether it is the first or the
        /// last of its siblings.
        case outline
    }

    /// The level that the answer is about; nil below a leaf.
    public let level: Level?
    /// The rows, in the order in which they are shown.
    public private(set) var rows = Rows.level
    /// What is written with each row, besides the row itself.
    public private(set) var extras = Extras.none
    /// The levels that places are in. The first is `level`; each is after the one that it is below.
    public private(set) var branches: [Branch] = []
    /// The sections, if they are not the level's.
    private(set) var ownSections: ListingSections.Storage?
    /// What the rows are ordered by; nil if nothing is known of it.
    private(set) var known: KnownOrder? = KnownOrder()

    /// Creates the listing of a level.
    public init(_ level: Level?) { self.level = level }

    /// Rows in sections of their own.
    init(_ level: Level, _ rows: Rows, sections: ListingSections.Storage?, extras: Extras, known: KnownOrder?) {
        self.level = level
        self.rows = rows
        self.extras = extras
        ownSections = sections
        self.known = known
    }

    /// The number of rows on all pages.
    public var count: Int {
        switch rows {
        case .level: level?.count ?? 0
        case .numbers(let numbers): numbers.count
        case .places(let places): places.count
        case .items(let items): items.numbers.count
        case .part(_, _, let count): count
        }
    }

    /// The sections that divide the rows; empty for one without a title.
    public var sections: ListingSections { ListingSections(ownSections ?? .stored(level?.sections ?? []), of: self) }

    /// The positions of a page.
    func positions(of page: PageQuery) -> Range<Int> {
        var start = page.start ?? 0
        if case .row(let bookmark) = page.after { start = position(after: bookmark) }
        return page.positions(from: start, of: count)
    }

    /// The row at a position; without meaning for `items`, whose rows have places once they are `located`.
    public func place(at position: Int) -> Place {
        switch rows {
        case .level: Place(row: position)
        case .numbers(let numbers): Place(row: Int(numbers[position]))
        case .places(let places): places[position]
        case .part(let places, let start, _): places[position - start]
        case .items: Place(row: 0)
        }
    }

    /// The level of a row; nil if the listing has no rows.
    public func level(of place: Place) -> Level? {
        place.branch == 0 ? level : branches[place.branch].level
    }

    // MARK: Arranging

    /// Shows only the rows at these positions, in this order.
    ///
    /// - Parameter sections: what divides them; by default one section without a title.
    public mutating func arrange(_ positions: [Int], into sections: [Section] = []) {
        arrange(positions, into: .stored(sections[...]), known: nil)
    }

    mutating func arrange(_ positions: [Int], into sections: ListingSections.Storage, known: KnownOrder?) {
        switch rows {
        case .level: rows = .numbers(positions.map { UInt32($0) })
        case .numbers(let numbers): rows = .numbers(positions.map { numbers[$0] })
        case .places(let places): rows = .places(positions.map { places[$0] })
        case .items(var items):
            items.numbers = positions.map { items.numbers[$0] }
            rows = .items(items)
        case .part(let places, let start, _): rows = .places(positions.map { places[$0 - start] })
        }
        ownSections = sections
        self.known = known
    }

    /// Shows only some of the rows, in the same order; a section that has none left is left out.
    public mutating func filter(_ isShown: (_ place: Place, _ level: Level) -> Bool) {
        guard level != nil else { return }
        let located = located(0..<count)
        let shown = (0..<count).filter { position in
            let place = located.place(at: position)
            return located.level(of: place).map { isShown(place, $0) } ?? false
        }
        // The sections that are left out are not noted.
        let known = known?.hasSectionMarks == true ? nil : known
        arrange(shown, into: .stored(Section.dividing(shown, as: sections)[...]), known: known)
    }

    /// Adds the level below a row to the levels that rows may come from.
    ///
    /// - Returns: the number of the new branch; nil for a leaf.
    public mutating func addBranch(below place: Place) -> Int? { addBranch(below: place, in: nil) }

    /// Adds the level below a row, whose rows are in an order of their own.
    mutating func addBranch(below place: Place, in order: OutlineOrder?) -> Int? {
        guard let below = self.level(of: place)?.child(place.row) else { return nil }
        if branches.isEmpty { addRoot(in: nil) }
        branches.append(Branch(level: below, above: place, order: order))
        return branches.count - 1
    }

    /// Adds the listing's own level, which is the first branch.
    mutating func addRoot(in order: OutlineOrder?) {
        if let level { branches = [Branch(level: level, above: nil, order: order)] }
    }

    /// Shows rows of several levels, in one section without a title.
    ///
    /// - Parameter places: rows of the level and of branches that were added.
    public mutating func show(_ places: [Place], with extras: Extras) {
        rows = .places(places)
        ownSections = .stored([])
        known = KnownOrder()
        self.extras = extras
    }

    /// Shows the hits of a search.
    mutating func show(_ items: Items) {
        rows = .items(items)
        ownSections = .stored([])
        known = KnownOrder(rankedBy: items.rankedBy)
        extras = .trail
    }

    /// Gives some rows places.
    mutating func show(_ places: [Place], at positions: Range<Int>, of count: Int) {
        rows = .part(places, start: positions.lowerBound, count: count)
    }

    /// Shows rows of a long list, of which the others are counted only, in one section without a title.
    ///
    /// - Parameters:
    ///   - places: consecutive rows, of the level and of branches that were added.
    ///   - start: the position of the first of them.
    ///   - count: the number of rows of the whole list.
    mutating func show(_ places: [Place], from start: Int, of count: Int, with extras: Extras) {
        rows = .part(places, start: start, count: count)
        ownSections = .stored([])
        self.extras = extras
    }
}

/// A row of a listing: a level that the listing takes rows from, and the number of a row in it.
public struct Place: Hashable, Sendable {
    private let branchNumber: UInt32
    private let rowNumber: UInt32

    /// Creates the place of a row.
    ///
    /// - Parameter branch: the number of the row's level among the listing's branches; 0 is the listing's own level.
    public init(branch: Int = 0, row: Int) {
        branchNumber = UInt32(branch)
        rowNumber = UInt32(row)
    }

    /// The number of the row's level among the listing's branches; 0 is the listing's own level.
    public var branch: Int { Int(branchNumber) }

    /// The number of the row in its level.
    public var row: Int { Int(rowNumber) }
}

/// A level that a listing takes rows from.
public struct Branch: Sendable {
    /// The level itself.
    public let level: Level
    /// The row that the level is below; nil for the listing's own level.
    public let above: Place?
    /// The order of the level's rows in an outline; nil for that of the document.
    let order: OutlineOrder?
}

/// The sections that divide the rows of a listing; empty for one without a title.
///
/// There may be as many as rows: those by a field are not stored, but made from their first rows when they are read.
public struct ListingSections: RandomAccessCollection, Sendable {
    enum Storage: Sendable {
        case stored(ArraySlice<Section>)
        /// By the text of a field: the start of each section, and whether the last is that of the rows without a text.
        case byField(RowField, starts: [UInt32], hasUnmarked: Bool)

        /// The approximate memory use, in bytes.
        var cost: Int {
            switch self {
            case .stored(let sections): sections.reduce(0) { $0 + $1.residentBytes }
            case .byField(_, let starts, _): starts.count * 4
            }
        }
    }

    private let storage: Storage
    private let listing: Listing

    init(_ storage: Storage, of listing: Listing) {
        self.storage = storage
        self.listing = listing
    }

    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch storage {
        case .stored(let sections): sections.count
        case .byField(_, let starts, _): starts.count
        }
    }

    /// The positions of a section's rows.
    public func rows(_ number: Int) -> Range<Int> {
        switch storage {
        case .stored(let sections):
            let section = sections[sections.startIndex + number]
            return section.rows
        case .byField(_, let starts, _):
            return Int(starts[number])..<(number + 1 < starts.count ? Int(starts[number + 1]) : listing.count)
        }
    }

    /// Passes the title, as UTF-8, and the rows of each section without making a `Section`, because there may be a
    /// million.
    ///
    /// - Returns: whether any were passed; only those by a field are.
    public func forEachByField<Failure: Error>(
        _ visit: (_ title: Span<UInt8>?, _ rows: Range<Int>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard case .byField(let field, let starts, let hasUnmarked) = storage, let level = listing.level,
            case .numbers(let numbers) = listing.rows, !starts.isEmpty
        else { return false }
        let bytes = level.bytes
        for (number, start) in starts.enumerated() {
            let rows = Int(start)..<(number + 1 < starts.count ? Int(starts[number + 1]) : numbers.count)
            let row = Row(in: bytes.span, number: Int(numbers[rows.lowerBound]))
            let value = hasUnmarked && number == starts.count - 1 ? nil : field.value(of: row, in: bytes.span)
            switch value {
            case nil: try visit(nil, rows)
            case .text(let range): try visit(bytes.span.extracting(range), rows)
            case .some(let value):
                guard let text = value.text(in: bytes.span) else { continue }
                try visit(text.span, rows)
            }
        }
        return true
    }

    public subscript(number: Int) -> Section {
        switch storage {
        case .stored(let sections): return sections[sections.startIndex + number]
        case .byField(let field, let starts, let hasUnmarked):
            let rows = rows(number)
            let title =
                hasUnmarked && number == starts.count - 1
                ? nil : field.text(of: listing.place(at: rows.lowerBound), in: listing)
            return Section(title: title.map { String(utf8: $0.span) }, start: rows.lowerBound, count: rows.count)
        }
    }
}
