import DrilldownClient

/// One screen: a level, a search below it, or the detail of an item.
struct Place: Equatable, Sendable {
    /// The part of the item that is shown.
    enum Kind: Equatable, Sendable { case level, detail }

    let path: ItemPath
    let kind: Kind
    /// The search text; nil without a search.
    var search: String?
    /// The level or the result of the search; nil before the server's first answer.
    private(set) var level: Level?
    private(set) var layout = LevelLayout()
    /// The detail; nil before the server's first answer.
    var detail: Detail?
    /// The index of the selected row; 0 if the level is empty.
    private(set) var selection = 0
    /// The number of the first line that is shown, in the layout or in the detail.
    var top = 0
    /// The rows that the last change added or altered.
    var changed: Set<Row.ID> = []
    /// The reason why the server refuses the place, as a sentence. It is shown instead of the place's content.
    var refusal: String?
    /// Whether the content is a cached copy, not an answer of the server.
    var isKept = false
    /// The level as it was before the search.
    private var searched: Searched?

    /// The level that a search hides.
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

    /// Selects a row, or the nearest existing row.
    mutating func select(_ row: Int) { selection = max(0, min(row, rows.count - 1)) }

    /// Shows a level, and selects the same row at its new index. If that row was removed, the same index stays
    /// selected.
    mutating func show(_ new: Level, changed rows: Set<Row.ID> = []) {
        let selected = selectedRow?.id
        level = new
        layout = LevelLayout(new.sections)
        changed = rows
        refusal = nil
        guard let selected, selectedRow?.id != selected else { return select(selection) }
        select(new.rows.firstIndex { $0.id == selected } ?? selection)
    }

    /// Begins a search, or changes the text of the search. The rows that it finds arrive later.
    mutating func search(for text: String) {
        if search == nil { searched = Searched(level: level, selection: selection, top: top) }
        search = text
        selection = 0
        top = 0
        changed = []
    }

    /// Shows the level again as it was before the search.
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

/// The lines of a level: its rows, with the title of each section above the rows of the section and the footer below
/// them.
///
/// The size of a layout depends on the number of sections, not on the number of rows.
struct LevelLayout: Equatable, Sendable {
    /// The content of one line.
    enum Line: Equatable, Sendable {
        case title(section: Int)
        case row(Int)
        case footer(section: Int)
    }

    private let sections: [Level.Section]
    private let starts: [Int]
    let count: Int

    init(_ sections: [Level.Section] = []) {
        self.sections = sections
        var starts: [Int] = []
        var count = 0
        for section in sections {
            starts.append(count)
            count += section.count + (Self.hasTitle(section) ? 1 : 0) + (Self.hasFooter(section) ? 1 : 0)
        }
        self.starts = starts
        self.count = count
    }

    private static func hasTitle(_ section: Level.Section) -> Bool { section.title?.isEmpty == false }
    private static func hasFooter(_ section: Level.Section) -> Bool { section.footer?.isEmpty == false }

    /// Returns the content of a line; nil after the last line.
    func line(_ number: Int) -> Line? {
        guard number < count, let index = starts.lastIndex(where: { $0 <= number }) else { return nil }
        let section = sections[index]
        let offset = number - starts[index] - (Self.hasTitle(section) ? 1 : 0)
        if offset < 0 { return .title(section: index) }
        return offset < section.count ? .row(section.start + offset) : .footer(section: index)
    }

    func line(ofRow row: Int) -> Int {
        guard let index = sections.lastIndex(where: { $0.start <= row && $0.count > 0 }) else { return 0 }
        let section = sections[index]
        return starts[index] + (Self.hasTitle(section) ? 1 : 0) + row - section.start
    }

    /// Returns the line of the section's title if it is directly above the row, otherwise the line of the row.
    func firstLine(above row: Int) -> Int {
        let line = line(ofRow: row)
        if case .title = self.line(line - 1) { return line - 1 }
        return line
    }
}
