public import Foundation

/// The changes from one state of a level to the next: the positions of the changed rows, for the animations of a table
/// view.
///
/// Removed rows are named by their positions in `old.rows`, inserted rows by their positions in `new.rows`, as
/// `UITableView.performBatchUpdates` and `CollectionDifference` expect. A row whose content changed is in ``updated``,
/// even if the row also moved.
///
/// ```swift
/// guard let difference = update.difference, !difference.sectionsChanged else { return table.reloadData() }
/// table.performBatchUpdates {
///     level = difference.new
///     table.deleteRows(at: difference.removedIndexPaths, with: .automatic)
///     table.insertRows(at: difference.insertedIndexPaths, with: .automatic)
///     for row in difference.movedIndexPaths { table.moveRow(at: row.old, to: row.new) }
/// }
/// table.reconfigureRows(at: difference.updatedIndexPaths)
/// ```
public struct LevelDifference: Sendable, Hashable {
    /// The level before the change.
    public let old: Level
    /// The level after the change.
    public let new: Level
    /// The positions of the removed rows in `old.rows`, ascending.
    public let removed: [Int]
    /// The positions of the inserted rows in `new.rows`, ascending.
    public let inserted: [Int]
    /// The rows that moved relative to the other rows, in ascending order of the new position.
    public let moved: [Positions]
    /// The rows whose content changed, in ascending order of the new position.
    public let updated: [Positions]
    /// Whether the sections changed. If true, reload a table that shows sections: the positions of rows do not suffice.
    ///
    /// This is true if a section was inserted or removed, if the title, the index or the footer of a section changed,
    /// or if a row that did not move is in another section. If the level is a page, it is also true if a section gained
    /// or lost rows on other pages.
    public let sectionsChanged: Bool

    /// The old and the new position of one row.
    public struct Positions: Sendable, Hashable {
        /// The position in the old rows.
        public let old: Int
        /// The position in the new rows.
        public let new: Int

        /// Creates the positions of a row.
        public init(old: Int, new: Int) { (self.old, self.new) = (old, new) }
    }

    /// Whether all rows and sections are unchanged.
    public var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty && !sectionsChanged
    }
}

extension LevelDifference {
    /// The difference of the rows, for code that works with `CollectionDifference`.
    ///
    /// A moved or updated row is a removal and an insertion that are associated with each other. Applying the
    /// difference to the old rows results in the new rows.
    ///
    /// - Complexity: O(*k* log *k*) for *k* changes.
    public var rows: CollectionDifference<Row> {
        var changes: [CollectionDifference<Row>.Change] = []
        changes += removed.map { .remove(offset: $0, element: old.rows[$0], associatedWith: nil) }
        changes += inserted.map { .insert(offset: $0, element: new.rows[$0], associatedWith: nil) }
        for row in Set(moved).union(updated) {
            changes.append(.remove(offset: row.old, element: old.rows[row.old], associatedWith: row.new))
            changes.append(.insert(offset: row.new, element: new.rows[row.new], associatedWith: row.old))
        }
        // The positions of the removals are distinct, and so are the positions of the insertions. Therefore the
        // initializer accepts the changes.
        return CollectionDifference(changes) ?? new.rows.difference(from: old.rows)
    }
}

// Index paths for a table view. A row is counted from the first row of its section, even if the level is a page.
extension LevelDifference {
    /// The index paths of the removed rows in the old level.
    public var removedIndexPaths: [IndexPath] { removed.compactMap(old.indexPath(ofRowAt:)) }

    /// The index paths of the inserted rows in the new level.
    public var insertedIndexPaths: [IndexPath] { inserted.compactMap(new.indexPath(ofRowAt:)) }

    /// The index paths of the moved rows, in the old level and in the new level.
    public var movedIndexPaths: [(old: IndexPath, new: IndexPath)] {
        moved.compactMap { row in
            guard let old = old.indexPath(ofRowAt: row.old), let new = new.indexPath(ofRowAt: row.new) else {
                return nil
            }
            return (old, new)
        }
    }

    /// The index paths of the updated rows in the new level.
    public var updatedIndexPaths: [IndexPath] { updated.compactMap { new.indexPath(ofRowAt: $0.new) } }
}

extension Level {
    /// Returns the index path of the row at a position in `rows`.
    fileprivate func indexPath(ofRowAt position: Int) -> IndexPath? { indexPath(at: start.saturatingSum(position)) }
}
