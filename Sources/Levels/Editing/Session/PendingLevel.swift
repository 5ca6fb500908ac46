internal import Bytes
internal import PropertyLists

/// The rows of one level in the middle of a batch: steps on the same level are gathered, because each new level costs
/// as much as it has rows.
///
/// It answers only what is certain without the new level: a row that a gathered step has touched, and a step that might
/// change the key of another row, need the level.
struct PendingLevel {
    /// The item above the level, before the gathered steps.
    let owner: EditTarget
    /// The path of that item.
    let path: ItemPath
    private(set) var rows: RowArrangement
    /// The keys that gathered steps have added, removed, or given other content.
    private var touched: Set<[UInt8]> = []
    private let names: StructuralNames

    /// Begins to gather; nil for a level in which rows depend on more than their own fields.
    init?(below owner: EditTarget, at path: ItemPath, names: StructuralNames) {
        guard let level = owner.item.level, level === owner.shown.level, level.form == .rows else { return nil }
        self.owner = owner
        self.path = path
        self.names = names
        rows = RowArrangement(of: level)
    }

    private var level: Level { rows.level }

    // MARK: Finding rows

    /// A row of the old level that no gathered step has touched, and its number now.
    struct Known {
        let old: Int
        let number: Int
        fileprivate let key: [UInt8]
    }

    /// The row with a key; nil if only the new level can tell.
    func row(withKey key: [UInt8]) -> Known? {
        guard !touched.contains(key), let row = level.row(withKey: key.span), let number = rows.number(ofOld: row)
        else {
            return nil
        }
        return Known(old: row, number: number, key: key)
    }

    /// The row as an item of the old document.
    func target(_ row: Known) -> EditTarget {
        let step = Item.Step(level: level, row: row.old)
        return EditTarget(
            shown: Item(owner.shown.steps + [step]), file: owner.file, item: Item(owner.item.steps + [step]))
    }

    /// The number of the row that is inserted or moved to a place; nil if only the new level can tell.
    ///
    /// - Parameter moved: the number of the row that moves.
    func number(at position: RowPosition, section: Int?, without moved: Int?) -> Int? {
        guard section ?? 0 == 0, position == .last || !owner.shown.own.hasOrder else { return nil }
        let count = rows.rowCount - (moved == nil ? 0 : 1)
        switch position {
        case .first: return 0
        case .last: return count
        case .offset(let offset): return (0...count).contains(offset) ? offset : nil
        case .unknown: return nil
        case .before(let key), .after(let key):
            let bytes = Array(key.utf8)
            let normal = ItemKey.isPlain(bytes.span) ? bytes : NormalizationFormC.text(of: bytes.span)
            guard let row = row(withKey: normal)?.number, row != moved else { return nil }
            let isAfter = position == .after(key)
            return row + (isAfter ? 1 : 0) - (moved.map { $0 < row } == true ? 1 : 0)
        }
    }

    // MARK: Gathering

    /// Inserts a row; false if another row's key might change.
    mutating func insert(_ made: RowMaker.Made, at number: Int) throws(TreeError) -> Bool {
        let key = made.step.level.naturalKey(of: made.step.row, names)
        guard made.parts.isEmpty, isFree(key) else { return false }
        try rows.insert([made.step], at: RowPlace(offset: number))
        touched.insert(key)
        return true
    }

    /// Removes a row; false if another row's key might change.
    mutating func remove(_ row: Known) throws(TreeError) -> Bool {
        guard level.isAlone(row.old, names) else { return false }
        try rows.remove(row.number)
        touched.insert(row.key)
        return true
    }

    /// Moves a row; false if keys might change with the order.
    mutating func move(_ row: Known, to number: Int) throws(TreeError) -> Bool {
        guard level.isAlone(row.old, names) else { return false }
        try rows.move(row.number, to: RowPlace(offset: number))
        touched.insert(row.key)
        return true
    }

    /// Gives a row other fields; false if another row's key might change.
    mutating func replace(_ row: Known, with made: RowMaker.Made, keepsLevel: Bool) throws(TreeError) -> Bool {
        guard made.parts.isEmpty, !level.row(row.old).isPart else { return false }
        let key = made.step.level.naturalKey(of: made.step.row, names)
        let isExplicit = made.step.level.row(made.step.row).flags.contains(.hasExplicitKey)
        let keepsKey =
            key == level.naturalKey(of: row.old, names)
            && isExplicit == level.row(row.old).flags.contains(.hasExplicitKey)
        guard keepsKey || level.isAlone(row.old, names) && isFree(key) else { return false }
        try rows.replace(row.number, with: made.step, keepsLevel: keepsLevel)
        touched.formUnion([row.key, key])
        return true
    }

    /// Whether a new row can have a natural key without a number, and without giving one to another row.
    private func isFree(_ key: [UInt8]) -> Bool {
        !touched.contains(key) && level.row(withKey: key.span) == nil && ItemKey.numberedBase(of: key.span) == nil
    }
}

extension RowArrangement {
    /// The number of a row of the old level now; nil if it was replaced or removed.
    ///
    /// - Complexity: O(steps so far).
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
}
