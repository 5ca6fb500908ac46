/// A level of an outline, and which of its rows are open.
final class OutlineBranch: Sendable {
    let level: Level
    /// The number of levels that are open from this one on, besides those that are open by name.
    private let depth: Int
    private let totals: RunningTotals
    /// The rows that are open by name, in ascending order.
    private let named: [Named]

    /// A row that is open by name.
    private struct Named {
        let row: Int
        let branch: OutlineBranch
        /// How many rows more are shown below this row and the named ones before it than their depth opens.
        let moreRows: Int
    }

    init(_ level: Level, depth: Int, _ rows: NamedRows?, _ sizes: OutlineSizes) {
        self.level = level
        self.depth = depth
        totals = sizes.totals(of: level, depth: depth)
        var named: [Named] = []
        // If everything is open anyway, names open nothing more.
        let names = depth < level.height ? rows?.rows ?? [:] : [:]
        for (row, below) in names.sorted(by: { $0.key < $1.key }) {
            guard let child = level.child(row), child.count > 0 else { continue }
            let branch = OutlineBranch(child, depth: max(depth - 1, 1), below, sizes)
            let more = branch.count - (depth > 1 ? sizes.size(of: child, depth: depth - 1) : 0)
            named.append(Named(row: row, branch: branch, moreRows: (named.last?.moreRows ?? 0) + more))
        }
        self.named = named
    }

    /// The number of rows that are shown of the level and of the levels below it.
    var count: Int { position(ofRow: level.count) }

    /// The level below a row, if it is open and has rows.
    func below(_ row: Int, _ sizes: OutlineSizes) -> OutlineBranch? {
        let index = named.partitioningIndex { $0.row >= row }
        if index < named.count, named[index].row == row { return named[index].branch }
        guard depth > 1, let child = level.child(row), child.count > 0 else { return nil }
        return OutlineBranch(child, depth: depth - 1, nil, sizes)
    }

    /// The position of a row, counted from the level's first; for the number of rows, the end of all that is shown.
    func position(ofRow row: Int) -> Int {
        let index = named.partitioningIndex { $0.row >= row }
        return totals.before(row) + (index > 0 ? named[index - 1].moreRows : 0)
    }

    /// The row at a position, or the row above the one at that position.
    ///
    /// - Parameter position: at least 0 and less than `count`.
    func row(at position: Int) -> Int {
        let index = named.partitioningIndex { self.position(ofRow: $0.row) > position }
        guard index > 0 else { return totals.row(at: position) }
        let nearest = named[index - 1]
        // The position is within what is shown below the nearest named row, or after it.
        guard position >= self.position(ofRow: nearest.row + 1) else { return nearest.row }
        return totals.row(at: position - nearest.moreRows)
    }
}
