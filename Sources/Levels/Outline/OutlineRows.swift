/// The rows of a level, and of the open levels below it, in one list: each row is followed by the rows below it.
///
/// The list is never made: the sizes of subtrees tell which row is at a position. A page takes time linear in its rows
/// and in the rows of the levels that lead to it, and memory for its rows.
public struct OutlineRows {
    private let level: Level?
    private let root: OutlineBranch?
    private let sizes: OutlineSizes
    /// The number of rows on all pages.
    public let count: Int

    /// - Parameters:
    ///   - level: nil below a leaf.
    ///   - store: keeps what was counted in large levels.
    public init(_ level: Level?, _ opening: OutlineOpening, _ store: any RunningTotalsStore) {
        self.level = level
        let sizes = OutlineSizes(store)
        self.sizes = sizes
        root = level.map { OutlineBranch($0, depth: opening.depth, NamedRows(opening.paths, in: $0), sizes) }
        count = root?.count ?? 0
    }

    /// The listing of the rows at some positions, which shows no others.
    public func listing(of positions: Range<Int>) -> Listing {
        var listing = Listing(level)
        // The row after the last tells whether that one is expanded.
        let shown = positions.lowerBound..<min(positions.upperBound + 1, count)
        var places: [Place] = []
        places.reserveCapacity(shown.count)
        var walk = OutlineWalk(sizes)
        if let root, !shown.isEmpty { walk.begin(root, at: shown.lowerBound, &listing) }
        while places.count < shown.count, let place = walk.next(&listing) { places.append(place) }
        listing.show(places, from: shown.lowerBound, of: count, with: .outline)
        return listing
    }

    /// The position of the first row after the place that a cursor remembers.
    public func position(after cursor: OutlinePlace) -> Int {
        guard var branch = root else { return 0 }
        var start = 0
        for step in cursor.steps {
            guard let row = branch.level.row(withKeyHash: step.keyHashes[0]) else {
                return start + branch.position(ofRow: Self.rowAfter(step, in: branch.level))
            }
            start += branch.position(ofRow: row) + 1
            guard let below = branch.below(row, sizes) else { break }
            branch = below
        }
        return start
    }

    /// The first row of a level after the place of a row that it no longer has.
    private static func rowAfter(_ step: OutlinePlace.Step, in level: Level) -> Int {
        for hash in step.keyHashes.dropFirst() {
            if let row = level.row(withKeyHash: hash) { return row + 1 }
        }
        // If all rows before it were remembered, none of them is left.
        return step.keyHashes.count > step.row ? 0 : min(step.row + 1, level.count)
    }
}
