import Testing

@testable import Levels
@testable import LevelsAPI

/// Listings: the rows of a level after options have arranged them, and their pages.
@Suite struct ListingTests {
    private static func level(_ document: String) throws -> Level? {
        try Item(rootOf: Desk.snapshot(document).document).level
    }

    private static func keys(_ listing: Listing, _ positions: Range<Int>) -> [String] {
        positions.compactMap { position in
            let place = listing.place(at: position)
            return listing.level(of: place)?.key(place.row)
        }
    }

    private static func keys(_ listing: Listing) -> [String] { keys(listing, 0..<listing.count) }

    private static func backwards(_ listing: inout Listing) {
        listing.arrange((0..<listing.count).reversed(), into: .stored([]), known: nil)
    }

    private static func evenRows(_ listing: inout Listing) { listing.filter { place, _ in place.row % 2 == 0 } }

    private static func listing(_ level: Level?, _ steps: ((inout Listing) -> Void)...) -> Listing {
        var listing = Listing(level)
        for step in steps { step(&listing) }
        return listing
    }

    @Test("Without a step a listing is the level, with its sections")
    func plain() throws {
        let listing = Listing(try Self.level(#"[["a","b"],["c"]]"#))
        #expect(Self.keys(listing) == ["a", "b", "c"])
        #expect(listing.sections.map(\.count) == [2, 1])
        #expect(Self.listing(nil, Self.backwards, Self.evenRows).count == 0)
    }

    @Test("Each step works on the rows that the one before left; another order has no sections")
    func steps() throws {
        let listing = Self.listing(try Self.level(#"[["a","b"],["c","d","e"]]"#), Self.evenRows, Self.backwards)
        #expect(Self.keys(listing) == ["e", "c", "a"])
        #expect(listing.sections.isEmpty)
        #expect((0..<5).map(listing.position(ofRow:)) == [2, nil, 1, nil, 0])
    }

    @Test("A filter leaves sections with rows, and an empty level has no section but one")
    func sections() throws {
        let level = try Self.level(
            #"{"Sections":[{"Title":"A","Rows":["a","b"]},{"Title":"B","Rows":["c"]},{"Title":"C","Rows":["d","e"]}]}"#)
        let listing = Self.listing(
            level, { listing in listing.filter { place, _ in place.row != 2 && place.row != 3 } })
        #expect(Self.keys(listing) == ["a", "b", "e"])
        #expect(listing.sections.map(\.title) == ["A", "C"])
        #expect(listing.sections.map(\.start) == [0, 2])
        #expect(listing.sections.map(\.count) == [2, 1])
        #expect(Self.listing(level, { listing in listing.filter { _, _ in false } }).sections.isEmpty)
    }

    @Test("Rows of several levels know the rows above them")
    func places() throws {
        let level = try Self.level(#"[{"Title":"a","Children":[{"Title":"b","Children":["c"]}]},"d"]"#)
        var listing = Listing(level)
        let added = (listing.addBranch(below: Place(row: 0)), listing.addBranch(below: Place(row: 1)))
        #expect(added.1 == nil)
        let branch = try #require(added.0)
        let below = listing.addBranch(below: Place(branch: branch, row: 0))
        let inner = try #require(below)
        let places = [Place(branch: inner, row: 0), Place(row: 1), Place(branch: branch, row: 0)]
        listing.show(places, from: 0, of: 3, with: .trail)
        #expect(Self.keys(listing) == ["c", "d", "b"])
        let trails = (0..<3).map { position in
            listing.rows(above: listing.place(at: position)).map { $0.level.title($0.row) }
        }
        #expect(trails == [["a", "b"], [], ["a"]])
        #expect((0..<3).map { listing.indent(of: listing.place(at: $0)) } == [2, 0, 1])
    }

    @Test("Pages of an arranged listing go on in the right place after rows have come and gone")
    func pages() throws {
        let first = Self.listing(try Self.level(#"["a","b","c","d","e"]"#), Self.backwards)
        var page = PageQuery()
        page.limit = 2
        #expect(Self.keys(first, first.positions(of: page)) == ["e", "d"])
        page.after = .row(first.bookmark(before: 2))
        #expect(Self.keys(first, first.positions(of: page)) == ["c", "b"])
        let later = Self.listing(try Self.level(#"["a","b","c","e","f","g"]"#), Self.backwards)
        #expect(Self.keys(later, later.positions(of: page)) == ["c", "b"])
    }
}
