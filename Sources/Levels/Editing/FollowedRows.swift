/// A row of a level after changes by another program, for a source that follows a log.
package enum FollowedRow {
    /// A row of the old level, with everything below it.
    case kept(Int)
    /// A row of the old level, with another level below it.
    case changedBelow(Int, Level)
    /// A row of some other level, with everything below it, or with the given level below it.
    ///
    /// - Parameter replacing: the row of the same item in the old level; nil if the item was not in the old level.
    case other(Item.Step, level: Level?, replacing: Int?)
}

extension TreeEditor {
    /// Returns the level of an item whose rows have changed.
    ///
    /// - Parameters:
    ///   - old: the old level.
    ///   - counts: the number of rows of each section, including hidden sections; one number for a plain list.
    ///   - owner: the row above the level; its `SectionKeys` lists the sections. Nil for the document's own level.
    /// - Throws: `TreeError` if two rows have the same `Key`, or the level becomes too large.
    package func level(
        _ old: Level, following rows: [FollowedRow], counts: [Int], below owner: Item.Step?
    ) throws(TreeError) -> Level {
        var pieces: [RowArrangement.Piece] = []
        var replaced: [(row: Int, level: Level)] = []
        for (number, row) in rows.enumerated() {
            switch row {
            case .kept(let old): pieces.append(keeping: old)
            case .changedBelow(let row, let level):
                if old.child(row)?.form == level.form {
                    replaced.append((number, level))
                    pieces.append(keeping: row)
                } else {
                    pieces.append(
                        .new(
                            RowArrangement.NewRow(
                                source: Item.Step(level: old, row: row), replaced: row, structure: .level(level))))
                }
            case .other(let step, let level, let row):
                pieces.append(
                    .new(
                        RowArrangement.NewRow(
                            source: step, replaced: row, structure: level.map { .level($0) } ?? .own)))
            }
        }
        var level = old
        if !pieces.keepsAll(of: old) {
            var arranged = try ArrangedLevel(
                arrangement: RowArrangement(of: old, pieces: pieces.separatingMoves(), counts: counts), names: names,
                owner: owner)
            level = try arranged.level()
        }
        for (row, child) in replaced { level = level.replacingChild(of: row, with: child) }
        return level
    }
}

extension [RowArrangement.Piece] {
    /// Appends an old row. If the row directly follows the last run, extends that run.
    fileprivate mutating func append(keeping row: Int) {
        if case .kept(let range)? = last, range.upperBound == row {
            self[count - 1] = .kept(range.lowerBound..<row + 1)
        } else {
            append(.kept(row..<row + 1))
        }
    }

    /// Whether the pieces are exactly the rows of the level, each at its old place.
    fileprivate func keepsAll(of level: Level) -> Bool {
        guard level.rowCount > 0 else { return isEmpty }
        guard count == 1, case .kept(let range) = self[0] else { return false }
        return range == 0..<level.rowCount
    }

    /// Returns the same pieces, in which rows that are not in ascending order are marked as moved.
    fileprivate func separatingMoves() -> [RowArrangement.Piece] {
        var next = 0
        return flatMap { piece -> [RowArrangement.Piece] in
            if case .new(var new) = piece, let replaced = new.replaced {
                // If a replaced row was also moved, it counts as removed, and its replacement as a new row.
                if replaced >= next { next = replaced + 1 } else { new.replaced = nil }
                return [.new(new)]
            }
            guard case .kept(let range) = piece else { return [piece] }
            guard range.lowerBound >= next else { return range.map { .moved($0) } }
            next = range.upperBound
            return [piece]
        }
    }
}

extension Level {
    /// The number of rows of each section, including hidden sections; one number for a plain list.
    package var sectionCounts: [Int] { form == .rows ? [rowCount] : allSections.map(\.count) }

    /// The numbers of the shown sections, in the order of the document.
    package var sectionsAsWritten: [Int] {
        form == .rows ? [0] : allSections.indices.map(writtenSection).filter { !allSections[$0].isHidden }
    }

    /// The range of rows of each shown section, with the sections in the order of the document; one range for a plain
    /// list.
    package var rowsAsWritten: [Range<Int>] {
        guard form != .rows else { return [0..<count] }
        return sectionsAsWritten.map { allSections[$0].start..<allSections[$0].start + allSections[$0].count }
    }

    /// Whether the level has the same sections as another level, apart from the rows of the sections.
    package func hasSections(of other: Level) -> Bool {
        form == other.form && allSections.count == other.allSections.count
            && zip(allSections, other.allSections).allSatisfy { $0.withoutRows == $1.withoutRows }
    }
}

extension Section {
    fileprivate var withoutRows: Section {
        var section = self
        (section.start, section.count) = (0, 0)
        return section
    }
}
