import DrilldownClient

/// One screen: a level, a search below it, or the detail of an item.
struct Place: Equatable, Sendable {
    /// The part of the item that is shown.
    enum Kind: Equatable, Sendable { case level, detail }

    let path: ItemPath
    let kind: Kind
    /// The search text; nil without a search.
    var search: String?
    /// Nil until it has arrived.
    private(set) var level: Level?
    private(set) var layout = LevelLayout()
    /// Nil until it has arrived.
    var detail: Detail?
    private(set) var selection = 0
    var top = 0
    /// The rows that the last change has added or altered.
    var changed: Set<Row.ID> = []
    /// Why nothing can be shown, in a sentence.
    var refusal: String?
    /// Whether the content was kept from an earlier time.
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

/// The lines of a level: its rows, the titles of its sections above them and their footers below.
///
/// It holds a number for each section, so a long level costs no more than a short one.
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

    /// The content of a line; nil after the last one.
    func line(_ number: Int) -> Line? {
        guard number >= 0, number < count else { return nil }
        let index = starts.lastIndex { $0 <= number } ?? 0
        let section = sections[index]
        let offset = number - starts[index] - (Self.hasTitle(section) ? 1 : 0)
        if offset < 0 { return .title(section: index) }
        return offset < section.count ? .row(section.start + offset) : .footer(section: index)
    }

    func line(ofRow row: Int) -> Int {
        guard !sections.isEmpty else { return 0 }
        let index = sections.lastIndex { $0.start <= row && $0.count > 0 || $0.start < row } ?? 0
        let section = sections[index]
        return starts[index] + (Self.hasTitle(section) ? 1 : 0) + row - section.start
    }

    /// The first line to show with a row, so that the title of its section is seen too.
    func firstLine(above row: Int) -> Int {
        let line = line(ofRow: row)
        if case .title = self.line(line - 1) { return line - 1 }
        return line
    }
}
