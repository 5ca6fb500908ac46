import DrilldownClient

/// Rows as a table view changes them in one batch: deletions by old positions, then insertions by new positions.
enum TableModel {
    /// The old rows with a difference applied as `UITableView.performBatchUpdates` does; nil if it would throw.
    static func rows(_ old: [Row], applying difference: LevelDifference, to new: [Row]) -> [Row]? {
        var rows = old
        for position in (difference.removed + difference.moved.map(\.old)).sorted(by: >) {
            guard rows.indices.contains(position) else { return nil }
            rows.remove(at: position)
        }
        let moved = difference.moved.map { (position: $0.new, row: old[$0.old]) }
        let inserted = difference.inserted.map { (position: $0, row: new[$0]) }
        for (position, row) in (moved + inserted).sorted(by: { $0.position < $1.position }) {
            guard position <= rows.count else { return nil }
            rows.insert(row, at: position)
        }
        for row in difference.updated {
            guard rows.indices.contains(row.new), rows[row.new] == old[row.old] else { return nil }
            rows[row.new] = new[row.new]
        }
        return rows
    }

    /// The fault of an update that follows a level; nil for a correct update.
    static func fault(of update: LevelUpdate, after last: Level?) -> String? {
        guard let last else { return update.difference == nil ? nil : "the first update has a difference" }
        guard let difference = update.difference else { return "an update has no difference" }
        guard let level = update.level else { return "an update has no level" }
        guard difference.old == last, difference.new == level else {
            return "the difference is not between the last level and this one"
        }
        guard last.rows.applying(difference.rows) == level.rows else {
            return "the CollectionDifference does not give the new rows"
        }
        guard rows(last.rows, applying: difference, to: level.rows) == level.rows else {
            return "a batch of updates does not give the new rows"
        }
        guard level.next != nil || level.rows.count == level.count else {
            return "there are \(level.rows.count) rows of \(level.count)"
        }
        return nil
    }
}
