/// The rows of a level of an outline, in the order that the item above gives them (`SortBy`, `GroupBy`).
final class OutlineOrder: Sendable {
    /// All rows of the level.
    let listing: Listing
    /// What they are ordered by.
    let order: ListingOrder

    init(_ listing: Listing, by order: ListingOrder) {
        self.listing = listing
        self.order = order
    }

    /// The number of the row at an index.
    func row(at index: Int) -> Int { listing.place(at: index).row }

    /// The number of the first row; nil if there is none.
    var first: Int? { listing.count > 0 ? row(at: 0) : nil }

    /// The number of the last row; nil if there is none.
    var last: Int? { listing.count > 0 ? row(at: listing.count - 1) : nil }
}
