/// Where the rows of an edited document come from in the document as it was before.
///
/// The edited tree has the content; this has what a tree does not tell: which items are the same as before, in which
/// place they were, and below which of them something has changed. A writer that copies the author's text needs both.
public indirect enum Provenance: Sendable, Equatable {
    /// The item was made by an edit, and so was everything below it.
    case new
    /// An item of the document before the edits, unchanged with everything below it; the row numbers from the root's
    /// level down, none for the root.
    case same([Int])
    /// An item of the document before the edits, or a new one, whose own fields may have changed.
    ///
    /// - Parameters:
    ///   - origin: the row numbers of the item before the edits; nil for a new one.
    ///   - rows: where its rows come from, in their order in the edited level, over all sections; nil if its level is
    ///     the same as before.
    case changed(origin: [Int]?, rows: [Run]?)

    /// Rows that follow each other.
    public enum Run: Sendable, Equatable {
        /// Rows of the item's own level before the edits, unchanged, in their old order; only below an item with an
        /// origin.
        case same(Range<Int>)
        case row(Provenance)

        /// The number of rows.
        public var count: Int { if case .same(let rows) = self { rows.count } else { 1 } }
    }
}

/// Keeping account of edits: each change of the tree is noted in the provenance of its rows.
extension Provenance {
    /// The place of a change: row numbers from the root's level down, and how many rows the level below each item on the
    /// way has, from the root on.
    struct Place {
        let path: ArraySlice<Int>
        let rowCounts: ArraySlice<Int>

        init(_ item: Item) {
            path = item.steps.dropFirst().map(\.row)[...]
            rowCounts = (item.steps.dropFirst().map(\.level.rowCount) + [item.level?.rowCount ?? 0])[...]
        }

        init(path: ArraySlice<Int>, rowCounts: ArraySlice<Int>) {
            self.path = path
            self.rowCounts = rowCounts
        }

        /// The number of rows below the first item.
        fileprivate var rowCount: Int { rowCounts.first ?? 0 }
        fileprivate var next: Place { Place(path: path.dropFirst(), rowCounts: rowCounts.dropFirst()) }
    }

    /// Notes a row that now is in front of a number of rows of an item.
    mutating func insert(_ row: Provenance, at number: Int, below place: Place) {
        if isNew, row.isNew { return }
        open(rowCount: place.rowCount)
        changeRows { rows, origin in
            guard let step = place.path.first else {
                rows.insert(.row(row), at: Self.cut(&rows, before: number))
                return
            }
            Self.change(&rows, step, origin) { $0.insert(row, at: number, below: place.next) }
        }
    }

    /// Notes that an item is gone, and returns where it came from.
    mutating func remove(_ place: Place) -> Provenance {
        guard let step = place.path.first, !isNew else { return .new }
        open(rowCount: place.rowCount)
        var removed = Provenance.new
        changeRows { rows, origin in
            guard place.path.count == 1 else {
                return Self.change(&rows, step, origin) { removed = $0.remove(place.next) }
            }
            let run = Self.isolate(&rows, step)
            guard run < rows.count else { return }
            removed = Self.provenance(of: rows.remove(at: run), origin)
        }
        return removed
    }

    /// Notes that an item's own fields may have changed.
    mutating func replace(_ place: Place) {
        if isNew { return }
        guard let step = place.path.first else {
            if case .same(let path) = self { self = .changed(origin: path, rows: nil) }
            return
        }
        open(rowCount: place.rowCount)
        changeRows { rows, origin in Self.change(&rows, step, origin) { $0.replace(place.next) } }
    }

    private var isNew: Bool { if case .new = self { true } else { false } }

    // MARK: Rows

    /// Lists the rows, so that they can be changed.
    private mutating func open(rowCount: Int) {
        let old: [Run] = rowCount > 0 ? [.same(0..<rowCount)] : []
        switch self {
        case .new: self = .changed(origin: nil, rows: Array(repeating: .row(.new), count: rowCount))
        case .same(let path): self = .changed(origin: path, rows: old)
        case .changed(let origin?, nil): self = .changed(origin: origin, rows: old)
        case .changed(nil, nil):
            self = .changed(origin: nil, rows: Array(repeating: .row(.new), count: rowCount))
        case .changed(_, .some): break
        }
    }

    private mutating func changeRows(_ change: (inout [Run], _ origin: [Int]?) -> Void) {
        guard case .changed(let origin, var rows?) = self else { return }
        // The rows have one owner, so that they are changed in place.
        self = .new
        change(&rows, origin)
        self = .changed(origin: origin, rows: rows)
    }

    /// Makes a run begin with a row; returns the number of the run.
    private static func cut(_ rows: inout [Run], before row: Int) -> Int {
        var start = 0
        for index in rows.indices {
            if start == row { return index }
            let end = start + rows[index].count
            if case .same(let range) = rows[index], row < end {
                let middle = range.lowerBound + row - start
                rows.replaceSubrange(
                    index...index, with: [.same(range.lowerBound..<middle), .same(middle..<range.upperBound)])
                return index + 1
            }
            start = end
        }
        return rows.count
    }

    /// Gives a row a run of its own; returns the number of the run.
    private static func isolate(_ rows: inout [Run], _ row: Int) -> Int {
        let run = cut(&rows, before: row)
        _ = cut(&rows, before: row + 1)
        return run
    }

    private static func provenance(of run: Run, _ origin: [Int]?) -> Provenance {
        switch run {
        case .row(let provenance): provenance
        case .same(let range): .same((origin ?? []) + [range.lowerBound])
        }
    }

    private static func change(
        _ rows: inout [Run], _ row: Int, _ origin: [Int]?, _ change: (inout Provenance) -> Void
    ) {
        let run = isolate(&rows, row)
        guard run < rows.count else { return }
        var provenance = provenance(of: rows[run], origin)
        rows[run] = .row(.new)
        change(&provenance)
        rows[run] = .row(provenance)
    }
}
