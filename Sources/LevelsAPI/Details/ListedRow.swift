import Levels

/// A row of a level, with its position among the rows as they are shown without a query.
struct ListedRow {
    let step: Item.Step
    /// The rows of the level.
    let listing: Listing
    let position: Int

    /// The row at a position; nil past the ends.
    init?(at position: Int, in listing: Listing) {
        guard let step = listing.step(at: position) else { return nil }
        self.step = step
        self.listing = listing
        self.position = position
    }

    /// - Parameter listing: the rows of the step's level.
    init(_ step: Item.Step, in listing: Listing) {
        self.step = step
        self.listing = listing
        position = listing.position(ofRow: step.row) ?? step.row
    }

    /// The number of the row's section.
    var section: Int { listing.sectionNumber(at: position) }
}

extension Listing {
    /// The row at a position; nil past the ends.
    func step(at position: Int) -> Item.Step? {
        guard position >= 0, position < count else { return nil }
        let place = place(at: position)
        return level(of: place).map { Item.Step(level: $0, row: place.row) }
    }
}
