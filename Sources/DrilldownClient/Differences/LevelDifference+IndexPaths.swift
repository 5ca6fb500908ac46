public import Foundation

// What a table view takes. Index paths count in all rows of a section, also if the level is a page.
extension LevelDifference {
    /// The index paths in the old level of the rows that are gone.
    public var removedIndexPaths: [IndexPath] { removed.compactMap(old.indexPath(ofRowAt:)) }

    /// The index paths in the new level of the rows that were not there before.
    public var insertedIndexPaths: [IndexPath] { inserted.compactMap(new.indexPath(ofRowAt:)) }

    /// The index paths of the rows that changed their place: in the old level, and in the new one.
    public var movedIndexPaths: [(old: IndexPath, new: IndexPath)] {
        moved.compactMap { row in
            guard let old = old.indexPath(ofRowAt: row.old), let new = new.indexPath(ofRowAt: row.new) else {
                return nil
            }
            return (old, new)
        }
    }

    /// The index paths in the new level of the rows that show something else.
    public var updatedIndexPaths: [IndexPath] { updated.compactMap { new.indexPath(ofRowAt: $0.new) } }
}

extension Level {
    /// The index path of the row at a position in `rows`.
    fileprivate func indexPath(ofRowAt position: Int) -> IndexPath? { indexPath(at: start.saturatingSum(position)) }
}
