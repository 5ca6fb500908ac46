import Levels

/// The rows of a listing that a request selects (`?limit=`, `?after=` and `?start=`).
struct Page: Equatable {
    static let defaultLimit = 1_000
    static let limits = 1...10_000

    var limit: Int?
    var after: Cursor?
    /// The position of the first row.
    var start: Int?

    /// Whether the request selects a page.
    var isAsked: Bool { limit != nil || after != nil || start != nil }

    /// Checks that the page begins within a listing, or at its end.
    ///
    /// - Throws: `Problem` (400) that tells the number of rows.
    func checkStart(in listing: Listing) throws(Problem) {
        guard let start, start > listing.count else { return }
        throw .badParameter("start", "'start' must be a whole number from 0 to \(listing.count), the number of rows.")
    }

    /// The positions of the page in a listing.
    func positions(in listing: Listing) -> Range<Int> {
        let start = min(start ?? after?.start(in: listing) ?? 0, listing.count)
        return start..<min(listing.count, start + (limit ?? Self.defaultLimit))
    }
}
