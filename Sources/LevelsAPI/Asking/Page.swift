import Levels

/// The rows of a listing that a request selects (`?limit=` and `?after=`).
struct Page: Equatable {
    static let defaultLimit = 1_000
    static let limits = 1...10_000

    var limit: Int?
    var after: Cursor?

    /// Whether the request selects a page.
    var isAsked: Bool { limit != nil || after != nil }

    /// The positions of the page in a listing.
    func positions(in listing: Listing) -> Range<Int> {
        let start = after?.start(in: listing) ?? 0
        return start..<min(listing.count, start + (limit ?? Self.defaultLimit))
    }
}
