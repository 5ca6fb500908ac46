internal import Bytes

/// A document with a log of edits, and the provenance of its rows.
///
/// Making a level takes time linear in its rows. Edits of one level are therefore gathered in an arrangement, until
/// another level is edited or `settle()` is called.
struct DocumentDraft: Sendable {
    private let editor: TreeEditor
    /// The document before the edits.
    let old: Level
    /// The document with all edits except the gathered ones.
    private(set) var document: Level
    private(set) var provenance = Provenance.same([])
    private var gathered: GatheredRows?

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
            try begin(edit)
            provenance.take(edit, in: document)
            try gathered?.make(edit)
            return
        }
        try settle()
        provenance.take(edit, in: document)
        let row = try item(at: path).own
        for part: RowEdit in [.remove(path), .insert(row, at: place)] {
            try begin(part)
            try gathered?.make(part)
        }
    }

    /// Makes the level with the gathered edits.
    ///
    /// - Throws: `TreeError`. The draft is then unusable.
    mutating func settle() throws(TreeError) {
        guard let gathered = gathered.take() else { return }
        document = try editor.document(arranging: gathered.rows, below: gathered.owner)
    }

    /// Begins to gather edits of the level that an edit changes.
    private mutating func begin(_ edit: RowEdit) throws(TreeError) {
        if edit.path.isEmpty { guard case .replace = edit else { throw .root } }
        let path = edit.path.isEmpty ? nil : Array(edit.path.dropLast())
        if let gathered, gathered.path == path { return }
        try settle()
        guard let path else {
            gathered = GatheredRows(of: document, below: nil, names: editor.names)
            return
        }
        let owner = try item(at: path)
        gathered = GatheredRows(of: owner.level ?? .empty, below: owner, names: editor.names)
    }

    private func item(at path: [Int]) throws(TreeError) -> Item {
        guard let item = Item(rowPath: path, in: document) else { throw .noRow(path.last ?? 0, rows: 0) }
        return item
    }

    // MARK: Gathered rows

    /// The current path of an item of `document`; nil if a gathered edit replaced or removed the item.
    func path(of path: [Int]) -> [Int]? {
        guard let gathered, let owner = gathered.path, path.starts(with: owner), path.count > owner.count else {
            return path
        }
        return gathered.rows.number(ofOld: path[owner.count]).map { owner + [$0] + path[(owner.count + 1)...] }
    }

    /// The number of rows of each section below an item of `document`; one number for a plain list.
    func rowCounts(below item: Item) -> [Int] {
        if let gathered, gathered.path == item.rowPath { return gathered.rows.counts }
        return RowArrangement(of: item.level ?? .empty).counts
    }

    func listedSections(below item: Item) -> Int {
        guard let level = item.level, level.form != .rows else { return 1 }
        return level.listedSections(owner: item.own, names: editor.names)
    }

    /// Whether edits of a level are gathered.
    func isGathering(_ level: Level?) -> Bool { level != nil && gathered?.rows.level === level }

    /// Whether the gathered level has a row with this key, and the gathered edits change neither the row nor its key.
    func hasUntouchedRow(withKey key: [UInt8]) -> Bool { gathered?.hasUntouchedRow(withKey: key) ?? false }
}

/// The rows of one level with gathered edits, and the keys that these edits may have changed.
private struct GatheredRows: Sendable {
    /// The item above the level; nil for the level of the root's own row.
    let owner: Item?
    let path: [Int]?
    private(set) var rows: RowArrangement
    /// The keys of added, removed or changed rows; nil once the key of another row may have changed.
    private var touched: Set<[UInt8]>?
    private let names: StructuralNames

    init(of level: Level, below owner: Item?, names: StructuralNames) {
        self.owner = owner
        self.names = names
        path = owner?.rowPath
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
