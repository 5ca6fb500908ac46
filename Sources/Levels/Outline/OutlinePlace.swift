/// A row of an outline, remembered so that its place is found after rows have come, gone and changed.
public struct OutlinePlace: Equatable, Sendable {
    /// A place in each level from the outline's own down to the row's: after the row above, and last after the row.
    public let steps: [Bookmark]

    /// - Parameter steps: at least one.
    public init(steps: [Bookmark]) { self.steps = steps }

    /// Remembers the row at a position of a listing.
    public init(at position: Int, in listing: Listing) {
        var places: [Place] = []
        var next: Place? = listing.place(at: position)
        while let place = next {
            places.append(place)
            next = listing.above(place)
        }
        let room = Self.room(steps: places.count)
        steps = places.reversed().map { place in
            let siblings = listing.siblings(of: place)
            return siblings.bookmark(before: (siblings.position(ofRow: place.row) ?? place.row) + 1, room)
        }
    }

    /// How much is remembered of each level: less if there are many, so that the cursor stays short.
    public static func room(steps: Int) -> Bookmark.Room {
        let whole = Bookmark.Room.whole
        let steps = max(steps, 1)
        return Bookmark.Room(
            rows: min(max(32 / steps, 1), whole.rows), keyBytes: min(max(960 / steps, 7), whole.keyBytes))
    }
}
