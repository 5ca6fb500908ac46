extension LevelDifference {
    /// Compares two states of a level, row by row.
    ///
    /// A row is the same one if its ``Row/id`` is, and shows the same if its ``Row/version`` is. Rows without a version are
    /// compared by what they contain.
    ///
    /// - Complexity: O(*n*) for *n* rows, and O(*n* log *n*) if most of them moved.
    public init(from old: Level, to new: Level) {
        var assembly = RowAssembly(old.rows, capacity: new.rows.count)
        assembly.replace(old.rows.indices, with: new.rows)
        self.init(from: old, to: new, assembly)
    }

    /// Finds out what an assembly changed.
    ///
    /// - Complexity: O(*k* log *k*) for *k* changes, and O(*s*) for *s* sections.
    init(from old: Level, to new: Level, _ assembly: RowAssembly) {
        let match = RowMatch(assembly, new.rows)
        let updated = assembly.updated.compactMap { position in
            assembly.oldPosition(ofStable: position).map { Positions(old: $0, new: position) }
        }
        let matched = (match.kept + match.moved).filter { !old.rows[$0.old].showsSame(as: new.rows[$0.new]) }
        self.init(
            old: old, new: new, removed: match.removed, inserted: match.inserted,
            moved: match.moved.sorted { $0.new < $1.new },
            updated: (updated + matched).sorted { $0.new < $1.new },
            sectionsChanged: !old.keepsSections(
                in: new, taken: (match.removed + match.moved.map(\.old)).sorted(),
                placed: (match.inserted + match.moved.map(\.new)).sorted()))
    }
}

extension Level {
    /// Whether the sections are the same ones, each row that was neither taken out nor put in stays in its section, and no
    /// section gained or lost rows that are not on this page.
    ///
    /// - Parameters:
    ///   - taken: Ascending positions in this level's rows.
    ///   - placed: Ascending positions in the new level's rows.
    fileprivate func keepsSections(in new: Level, taken: [Int], placed: [Int]) -> Bool {
        guard sections.count == new.sections.count else { return false }
        let headers = zip(sections, new.sections).allSatisfy { old, new in
            old.title == new.title && old.index == new.index && old.footer == new.footer
        }
        return headers && rowsKept(without: taken) == new.rowsKept(without: placed)
            && rowsElsewhere == new.rowsElsewhere
    }

    /// The number of rows of each section on this page, less those at these ascending positions.
    private func rowsKept(without positions: [Int]) -> [Int] {
        sections.map { section in
            let range = shownPositions(of: section)
            return range.count - positions.prefixCount { _, position in position < range.upperBound }
                + positions.prefixCount { _, position in position < range.lowerBound }
        }
    }

    /// The number of rows of each section that are not on this page.
    private var rowsElsewhere: [Int] { sections.map { $0.range.count - shownPositions(of: $0).count } }
}
