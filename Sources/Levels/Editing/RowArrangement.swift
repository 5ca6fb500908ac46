/// The rows of a level after a change: runs of the old rows, with new ones among them.
///
/// This value knows nothing about keys: `TreeEditor` makes the new level from it, many steps at the cost of one. All
/// row numbers refer to the rows after the steps so far. Each step is O(steps so far).
public struct RowArrangement: Sendable {
    /// A run of rows, in their new order.
    enum Piece: Sendable {
        /// Rows of the old level that keep their order among each other.
        case kept(Range<Int>)
        /// A row of the old level that was moved.
        case moved(Int)
        case new(NewRow)
    }

    /// A row that the old level does not have.
    struct NewRow: Sendable {
        /// The row of a level that contains the item.
        let source: Item.Step
        /// The row of the old level whose place it takes.
        var replaced: Int?
        var structure = Structure.own
    }

    /// The level below a new row, and the fields that describe it.
    enum Structure: Sendable {
        /// The source's level and fields.
        case own
        /// The level and fields of another row.
        case row(Item.Step)
        /// The given level, and the source's fields with a place for it.
        case level(Level)
    }

    let level: Level
    private(set) var pieces: [Piece]
    /// The number of rows of each section; one number for a plain list.
    private(set) var counts: [Int]

    /// Creates an arrangement of the unchanged rows of a level.
    public init(of level: Level) {
        self.level = level
        pieces = level.rowCount > 0 ? [.kept(0..<level.rowCount)] : []
        counts = level.form == .rows ? [level.rowCount] : level.allSections.map(\.count)
    }

    /// The number of rows.
    public var rowCount: Int { counts.reduce(0, +) }

    // MARK: Steps

    /// Inserts rows of other levels, with everything below them, at a place.
    public mutating func insert(_ rows: [Item.Step], at place: RowPlace) throws(TreeError) {
        let row = try number(of: place)
        counts[place.section] += rows.count
        pieces.insert(contentsOf: rows.map { .new(NewRow(source: $0)) }, at: cut(before: row))
    }

    /// Removes a row with everything below it.
    public mutating func remove(_ row: Int) throws(TreeError) {
        _ = try take(row)
    }

    /// Moves a row within its section or to another one.
    ///
    /// - Parameter place: counted without the row; if the place does not exist, nothing changes.
    public mutating func move(_ row: Int, to place: RowPlace) throws(TreeError) {
        var rest = self
        let piece: Piece =
            switch try rest.take(row) {
            case .kept(let range): .moved(range.lowerBound)
            case .moved(let old): .moved(old)
            case .new(var new):
                {
                    new.replaced = nil
                    return .new(new)
                }()
            }
        let target = try rest.number(of: place)
        rest.counts[place.section] += 1
        rest.pieces.insert(piece, at: rest.cut(before: target))
        self = rest
    }

    /// Replaces a row with a row of another level.
    ///
    /// - Parameter keepsLevel: whether the level below stays, with the fields that describe it: at the place that the
    ///   new row has for a level (an empty one will do), or else at its end.
    public mutating func replace(
        _ row: Int, with source: Item.Step, keepsLevel: Bool = false
    ) throws(TreeError) {
        try replace(row) { old, new in
            NewRow(source: source, structure: keepsLevel ? new?.structureAlone ?? .row(old) : .own)
        }
    }

    /// Replaces the level below a row; a row without a place for a level gets one at its end.
    public mutating func replaceLevel(below row: Int, with level: Level) throws(TreeError) {
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

    private func number(of place: RowPlace) throws(TreeError) -> Int {
        guard counts.indices.contains(place.section) else {
            throw .noSection(place.section, sections: counts.count)
        }
        guard place.offset >= 0, place.offset <= counts[place.section] else {
            throw .noPlace(place.offset, rows: counts[place.section])
        }
        return counts[..<place.section].reduce(place.offset, +)
    }

    /// Makes a piece begin with a row; returns the number of the piece.
    private mutating func cut(before row: Int) -> Int {
        var start = 0
        for index in pieces.indices {
            if start == row { return index }
            let end = start + pieces[index].count
            if case .kept(let range) = pieces[index], row < end {
                let middle = range.lowerBound + row - start
                pieces.replaceSubrange(
                    index...index, with: [.kept(range.lowerBound..<middle), .kept(middle..<range.upperBound)])
                return index + 1
            }
            start = end
        }
        return pieces.count
    }
}

extension RowArrangement.Piece {
    /// The number of rows.
    var count: Int {
        if case .kept(let range) = self { range.count } else { 1 }
    }
}

extension RowArrangement.NewRow {
    /// The same structure, for a row from elsewhere.
    fileprivate var structureAlone: RowArrangement.Structure {
        if case .own = structure { .row(source) } else { structure }
    }
}

/// The position of a row in its sections.
public struct RowPlace: Sendable, Equatable {
    /// The number of the section; 0 in a plain list. Hidden sections count after the shown ones.
    public var section: Int
    /// The number of rows of the section before it.
    public var offset: Int

    /// - Parameters:
    ///   - section: the number of the section.
    ///   - offset: the number of rows of the section before the place.
    public init(section: Int = 0, offset: Int) {
        self.section = section
        self.offset = offset
    }
}
