/// Where a row stands, or is to stand.
public struct RowPlace: Sendable, Equatable {
    /// The number of the section; 0 in a plain list. Hidden sections count after the shown ones.
    public var section: Int
    /// How many rows of the section stand before it.
    public var offset: Int

    public init(section: Int = 0, offset: Int) {
        self.section = section
        self.offset = offset
    }
}

/// The rows of a level as a change leaves them: runs of the old rows, and new ones among them.
///
/// A value that knows nothing of keys: `TreeEditor` makes the new level of it, for many steps at the cost of one. All
/// numbers of rows are those after the steps so far. Each step is O(steps so far).
public struct RowArrangement: Sendable {
    /// Some of the rows, in their new order.
    enum Piece: Sendable {
        /// Rows of the old level, which stand among each other as they did.
        case kept(Range<Int>)
        /// A row of the old level that stands elsewhere than it did.
        case moved(Int)
        case new(NewRow)
    }

    /// A row that the old level does not have.
    struct NewRow: Sendable {
        /// The row of some level that holds the item.
        let source: Item.Step
        /// The row of the old level whose place it takes.
        var replaced: Int?
        var structure = Structure.own
    }

    /// Which level a new row gets below it, and which fields tell of it.
    enum Structure: Sendable {
        /// Those of its source.
        case own
        /// Those of another row.
        case row(Item.Step)
        /// This level, and the source's fields with a place for it.
        case level(Level)
    }

    let level: Level
    private(set) var pieces: [Piece]
    /// How many rows each section has; one number for a plain list.
    private(set) var counts: [Int]

    /// The rows of a level as they are.
    public init(of level: Level) {
        self.level = level
        pieces = level.rowCount > 0 ? [.kept(0..<level.rowCount)] : []
        counts = level.form == .rows ? [level.rowCount] : level.allSections.map(\.count)
    }

    /// How many rows there are.
    public var rowCount: Int { counts.reduce(0, +) }

    // MARK: Steps

    /// Puts rows of other levels, with all below them, at a place.
    public mutating func insert(_ rows: [Item.Step], at place: RowPlace) throws(TreeError) {
        let row = try number(of: place)
        counts[place.section] += rows.count
        pieces.insert(contentsOf: rows.map { .new(NewRow(source: $0)) }, at: cut(before: row))
    }

    /// Takes out a row with all below it.
    public mutating func remove(_ row: Int) throws(TreeError) {
        _ = try take(row)
    }

    /// Moves a row within its section or to another.
    ///
    /// - Parameter place: counted without the row; if there is no such place, nothing changes.
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

    /// Puts a row of another level in the place of one.
    ///
    /// - Parameter keepsLevel: whether the level below stays, with the fields that tell of it: at the place that the
    ///   new row has for a level (an empty one will do), or else at its end.
    public mutating func replace(
        _ row: Int, with source: Item.Step, keepsLevel: Bool = false
    ) throws(TreeError) {
        try replace(row) { old, new in
            NewRow(source: source, structure: keepsLevel ? new?.structureAlone ?? .row(old) : .own)
        }
    }

    /// Puts another level below a row; a row that has no place for one gets it at its end.
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

    /// Makes a piece begin with a row; gives the number of the piece.
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
    /// How many rows it is.
    var count: Int {
        if case .kept(let range) = self { range.count } else { 1 }
    }
}

extension RowArrangement.NewRow {
    /// The same structure, for a row that comes from elsewhere.
    fileprivate var structureAlone: RowArrangement.Structure {
        if case .own = structure { .row(source) } else { structure }
    }
}
