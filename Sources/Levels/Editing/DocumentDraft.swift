internal import Bytes

/// A document with a log of edits, and the provenance of its rows.
///
/// Making a level takes time linear in its rows. The edits of each level are therefore gathered in an arrangement, until
/// a level above or below one of these levels is edited, or `settle()` is called.
struct DocumentDraft: Sendable {
    private let editor: TreeEditor
    /// The document before the edits.
    let old: Level
    /// The document with all edits except the gathered ones.
    private(set) var document: Level
    private(set) var provenance = Provenance.same([])
    /// The levels with gathered edits. None of them is above another.
    private var gathered: [GatheredRows] = []
    /// Whether `document` has changed since the last call of `settle()`.
    private(set) var isAhead = false

    init(document: Level, editor: TreeEditor) {
        self.editor = editor
        old = document
        self.document = document
    }

    /// Adds an edit to the log.
    ///
    /// - Throws: `TreeError`, possibly because of an earlier, gathered edit. The draft is then unusable.
    mutating func make(_ edit: RowEdit) throws(TreeError) {
        guard case .move(let path, let place) = edit, !path.isEmpty, place.owner[...] != path.dropLast() else {
            let number = try begin(edit)
            provenance.take(edit, in: document)
            return try gathered[number].make(edit)
        }
        let row = try movedRow(from: path, to: place)
        provenance.take(edit, in: document)
        for part: RowEdit in [.remove(path), .insert(row, at: place)] {
            let number = try begin(part)
            try gathered[number].make(part)
        }
    }

    /// Makes the levels with the gathered edits.
    ///
    /// - Throws: `TreeError`. The draft is then unusable.
    mutating func settle() throws(TreeError) {
        try settleGathered()
        isAhead = false
    }

    private mutating func settleGathered() throws(TreeError) {
        for level in gathered {
            let owner = try level.path.map { path throws(TreeError) in try item(at: path) }
            document = try editor.document(arranging: level.rows, below: owner)
            isAhead = true
        }
        gathered = []
    }

    /// Begins to gather edits of the level that an edit changes. Returns the number of the level.
    private mutating func begin(_ edit: RowEdit) throws(TreeError) -> Int {
        if edit.path.isEmpty { guard case .replace = edit else { throw .root } }
        let path = edit.path.isEmpty ? nil : Array(edit.path.dropLast())
        if let number = gathered.firstIndex(where: { $0.path == path }) { return number }
        if isGathering(near: path) { try settleGathered() }
        let level = try path.map { path throws(TreeError) in try item(at: path).level ?? .empty } ?? document
        gathered.append(GatheredRows(of: level, below: path, names: editor.names))
        return gathered.count - 1
    }

    /// Returns the row that moves to another level.
    private mutating func movedRow(from path: [Int], to place: RowPlace) throws(TreeError) -> Item.Step {
        let source = Array(path.dropLast())
        let others = [source, place.owner].filter { level in !gathered.contains { $0.path == level } }
        if others.contains(where: isGathering(near:)) { try settleGathered() }
        if let rows = gathered.first(where: { $0.path == source })?.rows {
            if let row = rows.oldRow(at: path[source.count]) { return Item.Step(level: rows.level, row: row) }
            try settleGathered()
        }
        return try item(at: path).own
    }

    private func item(at path: [Int]) throws(TreeError) -> Item {
        guard let item = Item(rowPath: path, in: document) else { throw .noRow(path.last ?? 0, rows: 0) }
        return item
    }

    // MARK: Gathered rows

    private func gathered(at path: [Int]) -> GatheredRows? { gathered.first { $0.path == path } }

    /// The current path of an item of `document`; nil if a gathered edit replaced or removed the item.
    func path(of path: [Int]) -> [Int]? {
        for level in gathered {
            guard let owner = level.path, path.starts(with: owner), path.count > owner.count else { continue }
            return level.rows.number(ofOld: path[owner.count]).map { owner + [$0] + path[(owner.count + 1)...] }
        }
        return path
    }

    /// The number of rows of each section below an item of `document`; one number for a plain list.
    func rowCounts(below item: Item) -> [Int] {
        gathered(at: item.rowPath)?.rows.counts ?? RowArrangement(of: item.level ?? .empty).counts
    }

    func listedSections(below item: Item) -> Int {
        guard let level = item.level, level.form != .rows else { return 1 }
        return level.listedSections(owner: item.own, names: editor.names)
    }

    /// Whether edits of a level are gathered.
    func isGathering(_ level: Level?) -> Bool { level != nil && gathered.contains { $0.rows.level === level } }

    /// Whether edits are gathered of the level at a path, or of a level above or below it.
    ///
    /// - Parameter path: the path of the item above the level; nil for the level of the root's own row.
    func isGathering(near path: [Int]?) -> Bool {
        gathered.contains { level in
            guard let path, let other = level.path else { return true }
            return path.starts(with: other) || other.starts(with: path)
        }
    }

    /// Whether the gathered level at a path has a row with this key, and the gathered edits change neither the row nor
    /// its key.
    func hasUntouchedRow(withKey key: [UInt8], below path: [Int]) -> Bool {
        gathered(at: path)?.hasUntouchedRow(withKey: key) ?? false
    }
}

/// The rows of one level with gathered edits, and the keys that these edits may have changed.
private struct GatheredRows: Sendable {
    /// The path of the item above the level; nil for the level of the root's own row.
    let path: [Int]?
    private(set) var rows: RowArrangement
    /// The keys of added, removed or changed rows; nil once the key of another row may have changed.
    private var touched: Set<[UInt8]>?
    private let names: StructuralNames

    init(of level: Level, below path: [Int]?, names: StructuralNames) {
        self.names = names
        self.path = path
        rows = RowArrangement(of: level)
        touched = level.form == .rows ? [] : nil
    }

    mutating func make(_ edit: RowEdit) throws(TreeError) {
        let keys = touched == nil ? nil : keys(touchedBy: edit)
        try rows.make(edit)
        if let keys { touched?.formUnion(keys) } else { touched = nil }
    }

    func hasUntouchedRow(withKey key: [UInt8]) -> Bool {
        guard let touched, !touched.contains(key) else { return false }
        return rows.level.row(withKey: key.span) != nil
    }

    /// The keys of the rows that an edit changes; nil if the key of another row might change.
    private func keys(touchedBy edit: RowEdit) -> [[UInt8]]? {
        let level = rows.level
        if case .insert(let new, _) = edit {
            let key = new.level.naturalKey(of: new.row, names: names)
            return isFree(key) && !new.level.row(new.row).isPart ? [key] : nil
        }
        guard let number = edit.path.last, let old = rows.oldRow(at: number) else { return nil }
        let bytes = level.bytes
        let key = Array(copying: bytes.span.extracting(level.row(old).key))
        guard case .replace(_, let new, _) = edit else { return level.isAlone(old, names: names) ? [key] : nil }
        let newRow = new.level.row(new.row)
        guard !newRow.isPart, !level.row(old).isPart else { return nil }
        let newKey = new.level.naturalKey(of: new.row, names: names)
        let keepsKey =
            newKey == level.naturalKey(of: old, names: names)
            && newRow.flags.contains(.hasExplicitKey) == level.row(old).flags.contains(.hasExplicitKey)
        return keepsKey || level.isAlone(old, names: names) && isFree(newKey) ? [key, newKey] : nil
    }

    /// Whether a new row can take its natural key without changing the number in any other key (`~2`).
    private func isFree(_ key: [UInt8]) -> Bool {
        touched?.contains(key) == false && rows.level.row(withKey: key.span) == nil
            && ItemKey.numberedBase(of: key.span) == nil
    }
}
