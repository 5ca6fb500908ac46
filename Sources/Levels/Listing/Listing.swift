internal import Bytes

/// The rows of an answer on all pages, with their levels, order and sections.
///
/// Pages, cursors, links, versions and differences work on listings. The listing of an unchanged level takes no memory.
///
/// A new listing has the rows of its level; `filter`, `order(by:)` and `group(by:)` change it:
///
///     var listing = Listing(level)
///     listing.order(by: ListingOrder(sort: try RowOrder("-Price")))
///     let first = listing.place(at: 0)
///     print(listing.level(of: first)?.title(first.row) ?? "")
public struct Listing: Sendable {
    /// The source of the rows.
    public enum Rows: Sendable {
        /// All rows of the level, in order.
        case level
        /// Rows of the level, by number.
        case numbers([UInt32])
        /// Rows of the level and of levels below it, by their numbers in document order; `located` determines their
        /// places.
        case items(Items)
        /// Some rows of a longer list, with the position of the first of these rows, and the length of the list.
        case part([Place], start: Int, count: Int)
    }

    /// The members that an answer adds to each row.
    public enum Extras: Sendable {
        /// No members.
        case none
        /// The titles between the listing's level and the row, for hits of a search.
        case trail
        /// The row's place in an outline: its depth, whether its children follow, and whether it is the first or the
        /// last sibling.
        case outline
    }

    /// The level of the answer; nil below a leaf.
    public let level: Level?
    /// The rows in their order.
    public private(set) var rows = Rows.level
    /// The members that an answer adds to each row.
    public private(set) var extras = Extras.none
    /// The levels that places refer to. The first is `level`. Each other level comes after the level above it.
    public private(set) var branches: [Branch] = []
    /// The sections, if they differ from the sections of the level; otherwise nil.
    private(set) var ownSections: ListingSections.Storage?
    /// The order of the rows; nil if the order is not known, and therefore cannot be used for finding places.
    private(set) var known: KnownOrder? = KnownOrder()

    /// Creates the listing of a level.
    public init(_ level: Level?) { self.level = level }

    init(level: Level, rows: Rows, sections: ListingSections.Storage?, extras: Extras, known: KnownOrder?) {
        self.level = level
        self.rows = rows
        self.extras = extras
        ownSections = sections
        self.known = known
    }

    public var count: Int {
        switch rows {
        case .level: level?.count ?? 0
        case .numbers(let numbers): numbers.count
        case .items(let items): items.numbers.count
        case .part(_, _, let count): count
        }
    }

    /// The sections of the rows; empty for one section without a title.
    public var sections: ListingSections {
        ListingSections(storage: ownSections ?? .stored(level?.sections ?? []), of: self)
    }

    /// The positions of a page.
    func positions(of page: PageQuery) -> Range<Int> {
        var start = page.firstPosition
        if case .row(let bookmark) = page.after { start = position(after: bookmark) }
        return page.positions(from: start, of: count)
    }

    /// The row at a position; meaningless for `items` until they are `located`.
    public func place(at position: Int) -> Place {
        switch rows {
        case .level: Place(row: position)
        case .numbers(let numbers): Place(row: Int(numbers[position]))
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
    mutating func arrange(_ positions: [Int], into sections: ListingSections.Storage, known: KnownOrder?) {
        switch rows {
        case .level: rows = .numbers(positions.map { UInt32($0) })
        case .numbers(let numbers): rows = .numbers(positions.map { numbers[$0] })
        case .items(var items):
            items.numbers = positions.map { items.numbers[$0] }
            rows = .items(items)
        case .part(let places, let start, _):
            rows = .part(positions.map { places[$0 - start] }, start: 0, count: positions.count)
        }
        ownSections = sections
        self.known = known
    }

    /// Shows only some of the rows, in the same order and without empty sections.
    public mutating func filter(_ isShown: (_ place: Place, _ level: Level) -> Bool) {
        guard level != nil else { return }
        let located = located(0..<count)
        let shown = (0..<count).filter { position in
            let place = located.place(at: position)
            return located.level(of: place).map { isShown(place, $0) } ?? false
        }
        // The known order would keep the marks of sections that are now empty and therefore left out.
        let known = known?.hasSectionMarks == true ? nil : known
        arrange(shown, into: .stored(Section.dividing(shown, as: sections)[...]), known: known)
    }

    /// Adds the level below a row as a branch, whose rows may have an order of their own. Returns the number of the
    /// branch; nil for a leaf.
    mutating func addBranch(below place: Place, in order: OutlineOrder? = nil) -> Int? {
        guard let below = self.level(of: place)?.child(place.row) else { return nil }
        if branches.isEmpty { addRoot(in: nil) }
        branches.append(Branch(level: below, above: place, order: order))
        return branches.count - 1
    }

    /// Adds the listing's own level as the first branch.
    mutating func addRoot(in order: OutlineOrder?) {
        if let level { branches = [Branch(level: level, above: nil, order: order)] }
    }

    /// Shows the hits of a search.
    mutating func show(_ items: Items) {
        rows = .items(items)
        ownSections = .stored([])
        known = KnownOrder(rankedBy: items.rankedBy)
        extras = .trail
    }

    /// Sets the places of some rows.
    mutating func show(_ places: [Place], at positions: Range<Int>, of count: Int) {
        rows = .part(places, start: positions.lowerBound, count: count)
    }

    /// Shows consecutive rows of a long list, in one section without a title.
    ///
    /// - Parameters:
    ///   - places: rows of the level and of added branches.
    ///   - start: the position of the first row.
    ///   - count: the length of the list.
    mutating func show(_ places: [Place], from start: Int, of count: Int, with extras: Extras) {
        rows = .part(places, start: start, count: count)
        ownSections = .stored([])
        self.extras = extras
    }
}

/// A row of a listing: a branch of the listing, and the number of the row in that branch.
public struct Place: Hashable, Sendable {
    private let branchNumber: UInt32
    private let rowNumber: UInt32

    /// Creates the place of a row in a branch; branch 0 is the listing's own level.
    public init(branch: Int = 0, row: Int) {
        branchNumber = UInt32(branch)
        rowNumber = UInt32(row)
    }

    /// The branch of the row; 0 is the listing's own level.
    public var branch: Int { Int(branchNumber) }

    /// The number of the row in its level.
    public var row: Int { Int(rowNumber) }
}

/// A level whose rows a listing can show.
public struct Branch: Sendable {
    /// The level itself.
    public let level: Level
    /// The row above the level; nil for the listing's own level.
    public let above: Place?
    /// The order of the rows in an outline; nil for the document's order.
    let order: OutlineOrder?
}

/// The sections of a listing; empty for one section without a title.
///
/// Sections by a field may be as numerous as rows. They are therefore derived from their first rows when they are read.
public struct ListingSections: RandomAccessCollection, Sendable {
    enum Storage: Sendable {
        case stored(ArraySlice<Section>)
        /// Sections by a field: the position at which each starts, and whether the last section has the rows without a
        /// text.
        case byField(RowField, starts: [UInt32], hasUnmarked: Bool)

        var cost: Int {
            switch self {
            case .stored(let sections): sections.reduce(0) { $0 + $1.residentBytes }
            case .byField(_, let starts, _): starts.count * 4
            }
        }
    }

    private let storage: Storage
    private let listing: Listing

    init(storage: Storage, of listing: Listing) {
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
