import DrilldownClient

/// One screen: a level, a search below it, or the detail of an item.
struct Place: Equatable, Sendable {
    /// What is shown of the item.
    enum Kind: Equatable, Sendable { case level, detail }

    let path: ItemPath
    let kind: Kind
    /// The text that is searched for; nil if there is no search.
    var search: String?
    /// Nil until it has arrived.
    private(set) var level: Level?
    private(set) var layout = LevelLayout()
    /// Nil until it has arrived.
    var detail: Detail?
    /// The number of the selected row.
    private(set) var selection = 0
    /// The first line that is shown.
    var top = 0
    /// The rows that the last change has added or altered.
    private(set) var changed: Set<Row.ID> = []
    /// Why nothing can be shown, in a sentence.
    var refusal: String?
    /// Whether what is shown was kept from an earlier time.
    var isKept = false
    /// The level as it was before the search.
    private var searched: Searched?

    /// What a search covers.
    private struct Searched: Equatable, Sendable {
        var level: Level?
        var selection: Int
        var top: Int
    }

    init(_ kind: Kind, at path: ItemPath) {
        self.kind = kind
        self.path = path
    }

    var rows: [Row] { level?.rows ?? [] }
    var selectedRow: Row? { rows.indices.contains(selection) ? rows[selection] : nil }
    var title: String? { level?.title ?? detail?.title }
    var ancestors: [ItemLink] { level?.ancestors ?? detail?.ancestors ?? [] }

    /// Selects a row, or the nearest one that there is.
    mutating func select(_ row: Int) { selection = max(0, min(row, rows.count - 1)) }

    /// Shows a level; the selected row stays selected wherever it is now.
    mutating func show(_ new: Level, changed rows: Set<Row.ID> = []) {
        let selected = selectedRow?.id
        level = new
        layout = LevelLayout(new.sections)
        changed = rows
        refusal = nil
        guard let selected, selectedRow?.id != selected else { return select(selection) }
        select(new.rows.firstIndex { $0.id == selected } ?? selection)
    }

    mutating func forgetChanges() { changed = [] }

    /// Begins a search, or changes its text; its rows arrive later.
    mutating func search(for text: String) {
        if search == nil { searched = Searched(level: level, selection: selection, top: top) }
        search = text
        selection = 0
        top = 0
        changed = []
    }

    /// Shows the level again that was searched.
    mutating func endSearch() {
        search = nil
        refusal = nil
        guard let searched else { return }
        if let earlier = searched.level {
            level = nil
            show(earlier)
        }
        select(searched.selection)
        top = searched.top
        self.searched = nil
    }
}
