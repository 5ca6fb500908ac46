/// Visits the rows of an outline in order, without recursion.
struct OutlineWalk {
    private struct Frame {
        let branch: OutlineBranch
        /// The number of the branch in the listing.
        let number: Int
        var row: Int
    }

    private let sizes: OutlineSizes
    /// The levels down to the next row.
    private var frames: [Frame] = []

    init(_ sizes: OutlineSizes) { self.sizes = sizes }

    /// Makes the row at a position the next one.
    ///
    /// - Parameter position: at least 0 and less than the number of rows of the outline.
    mutating func begin(_ root: OutlineBranch, at position: Int, _ listing: inout Listing) {
        var rest = position
        frames = [Frame(branch: root, number: 0, row: 0)]
        while let top = frames.last {
            let row = top.branch.row(at: rest)
            frames[frames.count - 1].row = row
            rest -= top.branch.position(ofRow: row)
            guard rest > 0, enter(&listing) else { return }
            rest -= 1
        }
    }

    /// The next row; nil at the end.
    mutating func next(_ listing: inout Listing) -> Place? {
        while let top = frames.last {
            guard top.row < top.branch.level.count else {
                frames.removeLast()
                continue
            }
            if !enter(&listing) { frames[frames.count - 1].row += 1 }
            return Place(branch: top.number, row: top.row)
        }
        return nil
    }

    /// Passes the next row and enters the level below it; false if that is not open.
    private mutating func enter(_ listing: inout Listing) -> Bool {
        guard let top = frames.last, let below = top.branch.below(top.row, sizes),
            let number = listing.addBranch(below: Place(branch: top.number, row: top.row))
        else { return false }
        frames[frames.count - 1].row += 1
        frames.append(Frame(branch: below, number: number, row: 0))
        return true
    }
}
