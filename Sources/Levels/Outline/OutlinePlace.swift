/// A row of an outline, remembered by hashes of keys so that its place is found after rows have come and gone.
public struct OutlinePlace: Equatable, Sendable {
    /// The row itself, or a row above it, in the level that has it.
    public struct Step: Equatable, Sendable {
        /// The number of the row in its level.
        public let row: Int
        /// The XXH3-64 hashes of the keys of the row and of the rows before it, the row's own first; never empty.
        public let keyHashes: [UInt64]

        /// - Parameter keyHashes: at least one.
        public init(row: Int, keyHashes: [UInt64]) {
            self.row = row
            self.keyHashes = keyHashes
        }
    }

    /// From the row of the outline's own level down to the row itself.
    public let steps: [Step]

    /// - Parameter steps: at least one.
    public init(steps: [Step]) { self.steps = steps }

    /// Remembers the row at a position of a listing.
    public init(at position: Int, in listing: Listing) {
        let place = listing.place(at: position)
        var rows = listing.rows(above: place)
        if let level = listing.level(of: place) { rows.append(Item.Step(level: level, row: place.row)) }
        let remembered = Self.rememberedRows(steps: rows.count)
        steps = rows.map { step in
            let first = max(0, step.row + 1 - remembered)
            return Step(row: step.row, keyHashes: (first...step.row).reversed().map(step.level.keyHash))
        }
    }

    /// How many rows of each level are remembered, including the one that leads to the place: fewer if there are many
    /// levels, so that the cursor stays short.
    public static func rememberedRows(steps: Int) -> Int { min(max(32 / max(steps, 1), 1), 8) }
}
