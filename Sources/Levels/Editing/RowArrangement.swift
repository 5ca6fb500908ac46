internal import Bytes

/// The rows of a level after edits: runs of old rows, with new rows among them.
///
/// An arrangement does not consider keys. `ArrangedLevel` makes the new level from it, at the same cost for one edit as
/// for many. Row numbers refer to the rows after the edits so far. Each edit takes time linear in the number of edits
/// so far.
struct RowArrangement: Sendable {
    enum Piece: Sendable {
        /// Consecutive rows of the old level.
        case kept(Range<Int>)
        /// A row of the old level that was moved.
        case moved(Int)
        case new(NewRow)
    }

    struct NewRow: Sendable {
        /// The row of the item, in any level.
        let source: Item.Step
        /// The number of the old row that the new row replaces; nil for an additional row.
        var replaced: Int?
        var structure = Structure.own
    }

    /// The source of the level below a new row, and of the fields that describe that level.
    enum Structure: Sendable {
        /// The level and the fields of the new row's `source`.
        case own
        /// The level and the fields of another row.
        case row(Item.Step)
        /// A given level, and the fields of the new row's `source` with a place for that level.
        case level(Level)
    }

    let level: Level
    private(set) var pieces: [Piece]
    /// The number of rows of each section; one number for a plain list.
    private(set) var counts: [Int]

    init(of level: Level) {
        self.level = level
        pieces = level.rowCount > 0 ? [.kept(0..<level.rowCount)] : []
        counts = level.sectionCounts
    }

    /// Creates an arrangement of rows.
    init(of level: Level, pieces: [Piece], counts: [Int]) {
        (self.level, self.pieces, self.counts) = (level, pieces, counts)
    }

    var rowCount: Int { counts.reduce(0, +) }

    /// The current number of a row of the old level; nil if the row was replaced or removed. Takes time linear in the
    /// number of edits so far.
    func number(ofOld row: Int) -> Int? {
        var start = 0
        for piece in pieces {
            switch piece {
            case .kept(let range) where range.contains(row): return start + row - range.lowerBound
            case .moved(row): return start
            default: start += piece.count
            }
        }
        return nil
    }

    /// The old number of the row that now has a given number; nil for a new row.
    func oldRow(at number: Int) -> Int? {
        var start = 0
        for piece in pieces {
            guard number >= start + piece.count else {
                switch piece {
                case .kept(let range): return range.lowerBound + number - start
                case .moved(let row): return row
                case .new: return nil
                }
            }
            start += piece.count
        }
        return nil
    }

    // MARK: Edits

    mutating func make(_ edit: RowEdit) throws(TreeError) {
        let row = edit.path.last ?? 0
        switch edit {
        case .insert(let new, let place): try insert(new, at: place)
        case .remove: try remove(row)
        case .replace(_, let new, let keepsLevel): try replace(row, with: new, keepsLevel: keepsLevel)
        case .move(_, let place): try move(row, to: place)
        }
    }

    /// Inserts a row of another level with everything below it.
    mutating func insert(_ row: Item.Step, at place: RowPlace) throws(TreeError) {
        try insert(.new(NewRow(source: row)), at: place)
    }

    /// Removes a row with everything below it.
    mutating func remove(_ row: Int) throws(TreeError) {
        _ = try take(row)
    }

    /// Moves a row within its section or to another section.
    ///
    /// - Parameter place: the new place, counted without the moved row. If the place is invalid, nothing changes.
    mutating func move(_ row: Int, to place: RowPlace) throws(TreeError) {
        var rest = self
        let piece: Piece
        switch try rest.take(row) {
        case .kept(let range): piece = .moved(range.lowerBound)
        case .moved(let old): piece = .moved(old)
        case .new(var new):
            new.replaced = nil
            piece = .new(new)
        }
        try rest.insert(piece, at: place)
        self = rest
    }

    /// Replaces a row with a row of another level.
    ///
    /// - Parameter keepsLevel: whether to keep the level below, with the fields that describe that level. The level
    ///   goes to the new row's place for a level, or else to the end of the row.
    mutating func replace(
        _ row: Int, with source: Item.Step, keepsLevel: Bool = false
    ) throws(TreeError) {
        try replace(row) { old, new in
            NewRow(source: source, structure: keepsLevel ? new?.structureAlone ?? .row(old) : .own)
        }
    }

    /// Replaces the level below a row. If the row is without a place for a level, adds a place at the end of the row.
    mutating func replaceLevel(below row: Int, with level: Level) throws(TreeError) {
        try replace(row) { old, new in NewRow(source: new?.source ?? old, structure: .level(level)) }
    }

    private mutating func replace(
        _ row: Int, _ make: (_ old: Item.Step, _ new: NewRow?) -> NewRow
    ) throws(TreeError) {
        guard row >= 0, row < rowCount else { throw .noRow(row, rows: rowCount) }
        let index = cut(before: row)
        _ = cut(before: row + 1)
        switch pieces[index] {
        case .kept(let range):
            var new = make(Item.Step(level: level, row: range.lowerBound), nil)
            new.replaced = range.lowerBound
            pieces[index] = .new(new)
        case .moved(let old): pieces[index] = .new(make(Item.Step(level: level, row: old), nil))
        case .new(let earlier):
            var new = make(earlier.source, earlier)
            new.replaced = earlier.replaced
            pieces[index] = .new(new)
        }
    }

    // MARK: Pieces

    private mutating func take(_ row: Int) throws(TreeError) -> Piece {
        guard row >= 0, row < rowCount else { throw .noRow(row, rows: rowCount) }
        let index = cut(before: row)
        _ = cut(before: row + 1)
        var end = 0
        let section = counts.firstIndex { count in
            end += count
            return row < end
        }
        if let section { counts[section] -= 1 }
        return pieces.remove(at: index)
    }

    private mutating func insert(_ piece: Piece, at place: RowPlace) throws(TreeError) {
        guard counts.indices.contains(place.section) else {
            throw .noSection(place.section, sections: counts.count)
        }
        let offset = place.row - counts[..<place.section].reduce(0, +)
        guard offset >= 0, offset <= counts[place.section] else {
            throw .noPlace(offset, rows: counts[place.section])
        }
        pieces.insert(piece, at: cut(before: place.row))
        counts[place.section] += 1
    }

    /// Splits a piece if necessary, so that a piece begins at a row. Returns the number of that piece.
    private mutating func cut(before row: Int) -> Int { pieces.cut(before: row) }
}

extension RowArrangement.Piece: RowRun {
    var old: Range<Int>? { if case .kept(let range) = self { range } else { nil } }
    static func run(_ old: Range<Int>) -> Self { .kept(old) }
}

extension RowArrangement.NewRow {
    /// The structure in a form that does not depend on `source`, so that `source` can be replaced.
    fileprivate var structureAlone: RowArrangement.Structure {
        if case .own = structure { .row(source) } else { structure }
    }
}

extension RowGatherer {
    /// Appends a new row. Returns the row and the level below it.
    mutating func gather(_ new: RowArrangement.NewRow) -> (row: PendingRow, child: Level?) {
        let (level, number) = (new.source.level, new.source.row)
        let own = new.source.below
        switch new.structure {
        case .own: return (gather(level, number: number), own)
        case .level(let child): return (gather(level, number: number, over: child, structure: nil), child)
        case .row(let other):
            guard let child = other.below else {
                let structure = structure(of: other)
                guard structure.count > 0 else { return (gather(level, number: number), own) }
                return (gather(level, number: number, adding: structure.span, keepsStructure: false), own)
            }
            return (gather(level, number: number, over: child, structure: other), child)
        }
    }
}
