extension LevelDifference {
    /// Compares two states of a level, row by row.
    ///
    /// A row in `old` and a row in `new` are the same row if they have the same ``Row/id``. The row counts as updated
    /// if its ``Row/version`` differs. Rows without a version are compared by their content.
    ///
    /// - Complexity: O(*n*) for *n* rows, and O(*n* log *n*) if most of them moved.
    public init(from old: Level, to new: Level) {
        // Most changes concern few rows, so the rows that both levels have at the beginning and at the end are skipped.
        let shorter = min(old.rows.count, new.rows.count)
        let prefix = (0..<shorter).first { old.rows[$0].id != new.rows[$0].id } ?? shorter
        let (oldEnd, newEnd) = (old.rows.count - 1, new.rows.count - 1)
        let suffix =
            (0..<shorter - prefix).first { old.rows[oldEnd - $0].id != new.rows[newEnd - $0].id } ?? shorter - prefix

        let lost = prefix..<old.rows.count - suffix
        var places = Dictionary(lost.map { (old.rows[$0].id, $0) }) { first, _ in first }
        var inserted: [Int] = []
        var found: [Positions] = []
        for position in prefix..<new.rows.count - suffix {
            if let place = places.removeValue(forKey: new.rows[position].id) {
                found.append(Positions(old: place, new: position))
            } else {
                inserted.append(position)
            }
        }
        let foundPlaces = Set(found.map(\.old))
        let removed = lost.filter { !foundPlaces.contains($0) }
        let ordered = Set(found.map(\.old).longestIncreasingSubsequence)
        let moved = found.indices.filter { !ordered.contains($0) }.map { found[$0] }

        let before = (0..<prefix).map { Positions(old: $0, new: $0) }
        let after = (0..<suffix).reversed().map { Positions(old: oldEnd - $0, new: newEnd - $0) }
        self.init(
            old: old, new: new, removed: removed, inserted: inserted, moved: moved,
            updated: (before + found + after).filter { !old.rows[$0.old].showsSame(as: new.rows[$0.new]) },
            sectionsChanged: !old.keepsSections(
                in: new, without: (removed + moved.map(\.old)).sorted(), placed: (inserted + moved.map(\.new)).sorted())
        )
    }
}

extension Row {
    /// Returns whether two rows show the same content. Only rows that an app creates lack a version.
    fileprivate func showsSame(as other: Row) -> Bool {
        version == other.version && (!version.isEmpty || self == other)
    }
}

extension Level {
    /// Returns whether the sections of this level and the new level are the same.
    ///
    /// The sections must have the same titles, indices and footers. Each row that did not move must be in the same
    /// section as before. No section may have gained or lost rows on other pages.
    ///
    /// - Parameters:
    ///   - taken: the positions of removed and moved rows in this level, ascending.
    ///   - placed: the positions of inserted and moved rows in the new level, ascending.
    fileprivate func keepsSections(in new: Level, without taken: [Int], placed: [Int]) -> Bool {
        guard sections.count == new.sections.count else { return false }
        let headers = zip(sections, new.sections).allSatisfy { old, new in
            old.title == new.title && old.index == new.index && old.footer == new.footer
        }
        return headers && rowsKept(without: taken) == new.rowsKept(without: placed)
            && rowsElsewhere == new.rowsElsewhere
    }

    /// Returns the number of rows that each section has on this page, not counting the rows at `positions`.
    ///
    /// - Parameter positions: positions on this page, ascending.
    private func rowsKept(without positions: [Int]) -> [Int] {
        sections.map { section in
            let range = shownPositions(of: section)
            return range.count - positions.prefixCount { $0 < range.upperBound }
                + positions.prefixCount { $0 < range.lowerBound }
        }
    }

    /// The number of rows that each section has on other pages.
    private var rowsElsewhere: [Int] { sections.map { $0.range.count - shownPositions(of: $0).count } }
}

extension Array where Element == Int {
    /// Returns the number of elements at the beginning that satisfy a condition. No other element may satisfy it.
    ///
    /// - Complexity: O(log *n*).
    fileprivate func prefixCount(while condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The indices of a longest strictly increasing subsequence, ascending.
    ///
    /// - Complexity: O(*n* log *n*).
    var longestIncreasingSubsequence: [Int] {
        // For each length: the index of the smallest element that can end an increasing subsequence of this length.
        var ends: [Int] = []
        var predecessors: [Int?] = []
        for (index, element) in enumerated() {
            let length = ends.prefixCount { self[$0] < element }
            predecessors.append(length == 0 ? nil : ends[length - 1])
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        guard let last = ends.last else { return [] }
        return sequence(first: last) { predecessors[$0] }.reversed()
    }
}
