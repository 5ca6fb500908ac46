/// For each row of an edited document, the row of the old document that it comes from.
///
/// A tree has only the content of a document. The provenance also shows which items are unchanged, where they were in
/// the old document, and which items have changes below them. A writer that preserves the author's text needs this.
///
/// `EditSession.changedFiles` returns the provenance of each edited file.
public indirect enum Provenance: Sendable, Equatable {
    /// A new item, with everything below it.
    case new
    /// An unchanged item of the old document, with everything below it. The value is the item's row numbers in the old
    /// document, from the root's level; empty for the root.
    case same([Int])
    /// An item, old or new, whose own fields or rows may have changed.
    ///
    /// - Parameters:
    ///   - origin: the row numbers of the item in the old document; nil for a new item.
    ///   - rows: the origins of the item's rows, in the order of the new level, over all sections; nil if the level is
    ///     unchanged.
    case changed(origin: [Int]?, rows: [Run]?)

    /// Consecutive rows.
    public enum Run: Sendable, Equatable {
        /// Unchanged rows of the item's old level, in their old order. Only an item with an origin has such a run.
        case same(Range<Int>)
        case row(Provenance)

        /// The number of rows.
        public var count: Int { if case .same(let rows) = self { rows.count } else { 1 } }
    }
}

/// Computes the provenance of a document's rows from the log of its edits.
extension Provenance {
    /// Notes an edit.
    ///
    /// - Parameter document: the document before the edit; for a gathered edit, the document before the first of the
    ///   gathered edits.
    mutating func take(_ edit: RowEdit, in document: Level) {
        switch edit {
        case .insert(_, let place): insert(.new, at: Place(path: place.path, in: document))
        case .remove(let path): _ = remove(Place(path: path, in: document))
        case .replace(let path, _, _): replace(Place(path: path, in: document))
        case .move(let path, let place):
            let row = remove(Place(path: path, in: document))
            let owner = RowEdit.inserting(path, in: place.owner)
            let counts = Place(path: owner + [place.row], in: document).rowCounts
            insert(row, at: Place(path: place.path[...], rowCounts: counts))
        }
    }

    /// The place of a change: for each level, from the root's level on, the number of the row on the path and the
    /// number of rows of the level.
    private struct Place {
        let path: ArraySlice<Int>
        let rowCounts: ArraySlice<Int>

        init(path: ArraySlice<Int>, rowCounts: ArraySlice<Int>) {
            self.path = path
            self.rowCounts = rowCounts
        }

        init(path: [Int], in document: Level) {
            var level = document.child(0)
            let counts = path.map { row in
                let count = level?.rowCount ?? 0
                level = row < count ? level?.child(row) : nil
                return count
            }
            self.init(path: path[...], rowCounts: counts[...])
        }

        /// The number of rows of the first level on the path.
        var rowCount: Int { rowCounts.first ?? 0 }
        var next: Place { Place(path: path.dropFirst(), rowCounts: rowCounts.dropFirst()) }
    }

    /// Notes the insertion of a row.
    private mutating func insert(_ row: Provenance, at place: Place) {
        guard let step = place.path.first, !isNew || !row.isNew else { return }
        open(rowCount: place.rowCount)
        changeRows { rows, origin in
            guard place.path.count == 1 else {
                return Self.change(&rows, row: step, origin: origin) { $0.insert(row, at: place.next) }
            }
            rows.insert(.row(row), at: rows.cut(before: step))
        }
    }

    /// Notes the removal of an item. Returns the item's provenance.
    private mutating func remove(_ place: Place) -> Provenance {
        guard let step = place.path.first, !isNew else { return .new }
        open(rowCount: place.rowCount)
        var removed = Provenance.new
        changeRows { rows, origin in
            guard place.path.count == 1 else {
                return Self.change(&rows, row: step, origin: origin) { removed = $0.remove(place.next) }
            }
            let run = Self.isolate(&rows, row: step)
            guard run < rows.count else { return }
            removed = Self.provenance(of: rows.remove(at: run), origin: origin)
        }
        return removed
    }

    /// Notes a possible change of an item's own fields.
    private mutating func replace(_ place: Place) {
        if isNew { return }
        guard let step = place.path.first else {
            if case .same(let path) = self { self = .changed(origin: path, rows: nil) }
            return
        }
        open(rowCount: place.rowCount)
        changeRows { rows, origin in Self.change(&rows, row: step, origin: origin) { $0.replace(place.next) } }
    }

    private var isNew: Bool { if case .new = self { true } else { false } }

    // MARK: Rows

    /// Makes this a `changed` item with a list of its rows, so that the rows can be changed.
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
        // While `self` does not refer to the array of rows, the array is changed in place instead of copied.
        self = .new
        change(&rows, origin)
        self = .changed(origin: origin, rows: rows)
    }

    /// Splits the runs so that a row has a run of its own. Returns the number of that run.
    private static func isolate(_ rows: inout [Run], row: Int) -> Int {
        let run = rows.cut(before: row)
        _ = rows.cut(before: row + 1)
        return run
    }

    private static func provenance(of run: Run, origin: [Int]?) -> Provenance {
        switch run {
        case .row(let provenance): provenance
        case .same(let range): .same((origin ?? []) + [range.lowerBound])
        }
    }

    private static func change(
        _ rows: inout [Run], row: Int, origin: [Int]?, _ change: (inout Provenance) -> Void
    ) {
        let run = isolate(&rows, row: row)
        guard run < rows.count else { return }
        var provenance = provenance(of: rows[run], origin: origin)
        rows[run] = .row(.new)
        change(&provenance)
        rows[run] = .row(provenance)
    }
}

extension Provenance.Run: RowRun {
    var old: Range<Int>? { if case .same(let rows) = self { rows } else { nil } }
    static func run(_ old: Range<Int>) -> Self { .same(old) }
}
