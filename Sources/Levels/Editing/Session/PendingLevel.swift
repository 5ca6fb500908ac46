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

/// Steps of a batch on the level that is pending.
extension EditSession {
    /// Does a step on the pending level, or begins one; false if the step needs the tree of the steps before it.
    mutating func gather(_ edit: Edit, isExact: Bool) throws(EditRefusal) -> Bool {
        guard try isPending(edit) else { return false }
        switch edit {
        case .insert(let item, _, let position, let section): return try gather(item, at: position, section: section)
        case .put(let item, let path, false):
            return try gather(path) { session, target throws(EditRefusal) in
                try session.putRow(of: target, item, isExact: isExact)
            }
        case .patch(let changes, let path):
            return try gather(path) { session, target throws(EditRefusal) in
                try session.patchedRow(of: target, changes, isExact: isExact)
            }
        case .delete(let path): return try gatherRemoval(path)
        case .move(let path, _, let position, let section):
            return try gatherMove(path, to: position, section: section)
        case .put: return false
        }
    }

    /// Whether an edit is one of a row of the pending level; if another level is pending, that of the edit is now.
    private mutating func isPending(_ edit: Edit) throws(EditRefusal) -> Bool {
        guard let path = edit.levelPath else { return false }
        if pending?.path == path { return true }
        try settle()
        guard case .found(let shown) = Item.find(path, in: document) else { return false }
        do throws(EditRefusal) {
            pending = PendingLevel(below: try target(shown, asOwner: true), at: path, names: names)
        } catch {
            // The step by itself says what is wrong with it.
            return false
        }
        return pending != nil
    }

    // MARK: Rows

    private mutating func gather(
        _ item: PropertyListValue, at position: RowPosition, section: Int?
    ) throws(EditRefusal) -> Bool {
        try item.checkItem()
        guard let number = pending?.number(at: position, section: section, without: nil), let owner = pending?.owner
        else { return false }
        let made = try maker(for: owner, group: nil).row(of: item)
        guard try changePending({ pending throws(TreeError) in try pending.insert(made, at: number) }) else {
            return false
        }
        let path = owner.item.rowPath + [number]
        note(.inserted(path), in: owner.file) { $0.insert(.new, at: number, below: Provenance.Place(owner.item)) }
        follow(owner, at: path, isNew: true)
        return true
    }

    private mutating func gather(
        _ path: ItemPath, _ made: (inout EditSession, EditTarget) throws(EditRefusal) -> RowMaker.Made
    ) throws(EditRefusal) -> Bool {
        guard let row = pending?.row(withKey: path.lastKey), let target = pending?.target(row),
            target.item.level?.form.isDrilled != true
        else { return false }
        try target.checkEditable(asOwner: false)
        let made = try made(&self, target)
        let isReplaced = try changePending { pending throws(TreeError) in
            try pending.replace(row, with: made, keepsLevel: target.item.keepsLevel)
        }
        guard isReplaced else { return false }
        let place = target.item.rowPath.dropLast() + [row.number]
        note(.none, in: target.file) {
            $0.replace(.init(path: place[...], rowCounts: Provenance.Place(target.item).rowCounts))
        }
        follow(target, at: Array(place), isNew: false)
        return true
    }

    private mutating func gatherRemoval(_ path: ItemPath) throws(EditRefusal) -> Bool {
        guard let row = pending?.row(withKey: path.lastKey), let target = pending?.target(row) else { return false }
        try target.checkEditable(asOwner: false)
        let place = Array(target.item.rowPath.dropLast() + [row.number])
        guard !follows(below: place) else { return false }
        guard try changePending({ pending throws(TreeError) in try pending.remove(row) }) else { return false }
        note(.removed(place), in: target.file) {
            _ = $0.remove(.init(path: place[...], rowCounts: Provenance.Place(target.item).rowCounts))
        }
        follow(target, at: nil, isNew: false)
        return true
    }

    private mutating func gatherMove(
        _ path: ItemPath, to position: RowPosition, section: Int?
    ) throws(EditRefusal) -> Bool {
        guard let row = pending?.row(withKey: path.lastKey), let target = pending?.target(row),
            let number = pending?.number(at: position, section: section, without: row.number),
            let owner = pending?.owner
        else { return false }
        try target.checkEditable(asOwner: false)
        guard try changePending({ pending throws(TreeError) in try pending.move(row, to: number) }) else {
            return false
        }
        let above = owner.item.rowPath
        let counts = Provenance.Place(target.item).rowCounts
        note(.moved(above + [row.number], to: above + [number]), in: target.file) {
            let moved = $0.remove(.init(path: (above + [row.number])[...], rowCounts: counts))
            $0.insert(moved, at: number, below: .init(path: above[...], rowCounts: counts))
        }
        follow(target, at: above + [number], isNew: false)
        return true
    }

    private mutating func changePending(
        _ change: (inout PendingLevel) throws(TreeError) -> Bool
    ) throws(EditRefusal) -> Bool {
        guard var changed = pending else { return false }
        pending = nil
        defer { pending = changed }
        do throws(TreeError) { return try change(&changed) } catch { throw EditRefusal(error) }
    }
}

extension Edit {
    /// The path of the item above the rows that the edit changes; nil if it changes those of two, or the root.
    fileprivate var levelPath: ItemPath? {
        switch self {
        case .insert(_, let path, _, _): path
        case .put(_, let path, _), .patch(_, let path), .delete(let path): path.parent
        case .move(let path, let owner, _, _): path.parent == owner ? owner : nil
        }
    }
}
