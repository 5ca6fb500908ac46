/// Visits the rows of an outline in order, without recursion.
struct OutlineWalk {
    private struct Frame {
        let branch: OutlineBranch
        /// The number of the branch in the listing.
        let number: Int
        /// The index of the next row in the branch.
        var index: Int

        var place: Place { Place(branch: number, row: branch.row(at: index)) }
    }

    /// The levels down to the next row, or to the row that was visited last.
    private var frames: [Frame] = []
    /// Whether the last frame is at the row that was visited last. It is passed only when the next one is asked for,
    /// because the level below it need not be looked at before.
    private var isVisited = false

    /// Makes the row at a position the next one.
    ///
    /// - Parameter position: at least 0 and less than the number of rows of the outline.
    mutating func begin(_ root: OutlineBranch, at position: Int, _ listing: inout Listing) {
        var rest = position
        frames = [Frame(branch: root, number: 0, index: 0)]
        while let top = frames.last {
            let index = top.branch.index(at: rest)
            frames[frames.count - 1].index = index
            rest -= top.branch.position(of: index)
            guard rest > 0, enter(&listing) else { return }
            rest -= 1
        }
    }

    /// The next row; nil at the end.
    mutating func next(_ listing: inout Listing) -> Place? {
        if isVisited, !enter(&listing) { frames[frames.count - 1].index += 1 }
        while let top = frames.last {
            if top.index < top.branch.level.count {
                isVisited = true
                return top.place
            }
            frames.removeLast()
        }
        isVisited = false
        return nil
    }

    /// Passes the row of the last frame and enters the level below it; false if that is not open.
    private mutating func enter(_ listing: inout Listing) -> Bool {
        guard let top = frames.last, let below = top.branch.below(top.index),
            let number = listing.addBranch(below: top.place, in: below.order)
        else { return false }
        frames[frames.count - 1].index += 1
        frames.append(Frame(branch: below, number: number, index: 0))
        return true
    }
}
