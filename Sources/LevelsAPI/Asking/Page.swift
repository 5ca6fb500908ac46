import Levels

/// The rows of a listing that a request selects (`?limit=`, `?after=` and `?start=`).
struct Page: Equatable {
    static let defaultLimit = 1_000
    static let limits = 1...10_000

    var limit: Int?
    var after: Cursor?
    /// The end of the previous page of an outline.
    var afterPlace: OutlineCursor?
    /// The position of the first row.
    var start: Int?

    /// Whether the request selects a page.
    var isAsked: Bool { limit != nil || after != nil || afterPlace != nil || start != nil }

    /// Checks that the page begins within a listing, or at its end.
    ///
    /// - Throws: `Problem` (400) that tells the number of rows.
    func checkStart(in listing: Listing) throws(Problem) {
        guard let start, start > listing.count else { return }
        throw .badParameter("start", "'start' must be a whole number from 0 to \(listing.count), the number of rows.")
    }

    /// Checks that a cursor comes from a page of the same kind of list.
    ///
    /// - Throws: `Problem` (400) otherwise.
    func checkCursor(isOutline: Bool) throws(Problem) {
        guard isOutline ? after != nil : afterPlace != nil else { return }
        let other = isOutline ? "a list that is not an outline" : "an outline"
        throw .badParameter("after", "The cursor is one of \(other); follow the link 'next' of a page of this list.")
    }

    /// The positions of the page in a listing.
    func positions(in listing: Listing) -> Range<Int> {
        positions(from: start ?? after?.start(in: listing) ?? 0, of: listing.count)
    }

    /// The positions of the page in an outline.
    func positions(in outline: OutlineRows) -> Range<Int> {
        positions(from: start ?? afterPlace.map { outline.position(after: $0.place) } ?? 0, of: outline.count)
    }

    private func positions(from start: Int, of count: Int) -> Range<Int> {
        let start = min(start, count)
        return start..<min(count, start + (limit ?? Self.defaultLimit))
    }
}
