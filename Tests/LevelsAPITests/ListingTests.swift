import Levels
import Testing

@testable import LevelsAPI

/// Listings: the rows of a level after options have arranged them, and their pages.
@Suite struct ListingTests {
    private static func level(_ document: String) throws -> Level? {
        try Item(rootOf: Desk.snapshot(document).document).level
    }

    private static func titles(_ listing: Listing, _ positions: Range<Int>) -> [String] {
        positions.compactMap { listing.level?.key(listing.row(at: $0)) }
    }

    private static let backwards: Listing.Step = { listing in listing.arrange { rows, _ in rows.reversed() } }
    private static let evenRows: Listing.Step = { listing in listing.arrange { rows, _ in rows.filter { $0 % 2 == 0 } }
    }

    @Test("Without a step a listing is the level, with its sections")
    func plain() throws {
        let listing = Listing(try Self.level(#"[["a","b"],["c"]]"#))
        #expect(Self.titles(listing, 0..<listing.count) == ["a", "b", "c"])
        #expect(listing.sections.map(\.count) == [2, 1])
        #expect(Listing(nil, [Self.backwards]).count == 0)
    }

    @Test("Each step works on the rows that the one before left, and no section is left")
    func steps() throws {
        let listing = Listing(try Self.level(#"[["a","b"],["c","d","e"]]"#), [Self.evenRows, Self.backwards])
        #expect(Self.titles(listing, 0..<listing.count) == ["e", "c", "a"])
        #expect(listing.sections.isEmpty)
        #expect((0..<5).map { listing.position(ofRow: $0) } == [2, nil, 1, nil, 0])
    }

    @Test("Pages of an arranged listing go on in the right place after rows have come and gone")
    func pages() throws {
        let first = Listing(try Self.level(#"["a","b","c","d","e"]"#), [Self.backwards])
        var page = Page()
        page.limit = 2
        #expect(Self.titles(first, page.positions(in: first)) == ["e", "d"])
        page.after = Cursor(before: 2, in: first)
        #expect(Self.titles(first, page.positions(in: first)) == ["c", "b"])
        let later = Listing(try Self.level(#"["a","b","c","e","f","g"]"#), [Self.backwards])
        #expect(Self.titles(later, page.positions(in: later)) == ["c", "b"])
    }
}
