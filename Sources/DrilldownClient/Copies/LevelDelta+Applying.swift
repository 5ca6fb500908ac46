extension LevelDelta {
    /// The error if a delta does not fit the rows. All rows must then be read again.
    struct Misfit: Error {}

    /// Applies this delta to the rows of a page, and returns the new rows.
    ///
    /// - Parameters:
    ///   - old: the rows of the page before this delta.
    ///   - count: the number of rows that the page must have after this delta.
    /// - Throws: `Misfit` if a key or a position of the delta does not fit the rows.
    func applied(to old: ArraySlice<Row>, count: Int) throws(Misfit) -> [Row] {
        var (stable, moving) = try divided(old)
        var placements = inserted
        for move in moved {
            guard let row = moving.removeValue(forKey: move.value) else { throw Misfit() }
            placements.append(Placed(position: move.position, value: row))
        }
        var rows: [Row] = []
        rows.reserveCapacity(old.count + inserted.count)
        for placement in placements.sorted(by: { $0.position < $1.position }) {
            let run = placement.position - rows.count
            guard run >= 0, run <= stable.count else { throw Misfit() }
            rows += stable.prefix(run)
            stable = stable.dropFirst(run)
            rows.append(placement.value)
        }
        rows += stable
        guard rows.count == count else { throw Misfit() }
        for update in updated {
            guard update.position < count, rows[update.position].key == update.value.key else { throw Misfit() }
            rows[update.position] = update.value
        }
        return rows
    }

    /// Returns the rows that keep their order, and the moved rows by key.
    private func divided(_ old: ArraySlice<Row>) throws(Misfit) -> (stable: ArraySlice<Row>, moving: [String: Row]) {
        let movedKeys = Set(moved.map(\.value))
        let leaving = movedKeys.union(removed)
        let new = Set(inserted.map(\.value.key))
        guard leaving.count == moved.count + removed.count, new.count == inserted.count else { throw Misfit() }
        var stable: [Row] = []
        var moving: [String: Row] = [:]
        for row in old {
            if movedKeys.contains(row.key) {
                moving[row.key] = row
            } else if !leaving.contains(row.key) {
                guard !new.contains(row.key) else { throw Misfit() }
                stable.append(row)
            }
        }
        guard old.count - stable.count == leaving.count else { throw Misfit() }
        return (stable[...], moving)
    }
}
