import DrilldownClient
import Foundation

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

    /// The keys of the rows of each section; nil for rows on other pages.
    private static func sections(of level: Level) -> [[String?]] {
        level.sections.map { section in
            section.range.map { position in
                let row = position - level.start
                return level.rows.indices.contains(row) ? level.rows[row].key : nil
            }
        }
    }

    /// The sections of a level with a difference applied by index paths; nil if a table view would throw.
    private static func sections(of level: Level, applying difference: LevelDifference) -> [[String?]]? {
        var sections = sections(of: level)
        for path in (difference.removedIndexPaths + difference.movedIndexPaths.map(\.old)).sorted(by: >) {
            guard sections.indices.contains(path[0]), sections[path[0]].indices.contains(path[1]) else { return nil }
            sections[path[0]].remove(at: path[1])
        }
        for path in (difference.insertedIndexPaths + difference.movedIndexPaths.map(\.new)).sorted() {
            guard sections.indices.contains(path[0]), path[1] <= sections[path[0]].count else { return nil }
            sections[path[0]].insert(difference.new[path]?.key, at: path[1])
        }
        return sections
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
        guard difference.sectionsChanged || sections(of: last, applying: difference) == sections(of: level) else {
            return "a batch of index paths does not give the new sections"
        }
        guard level.next != nil || level.rows.count == level.count else {
            return "there are \(level.rows.count) rows of \(level.count)"
        }
        return nil
    }
}
