/// One level of the document: an ordered list of rows, divided into sections.
///
/// ```swift
/// let level = try await server.level(at: ["Item 4"])
/// for row in level.rows { print(row.title) }
/// ```
public struct Level: Hashable, Sendable {
    /// The title of the item whose children are the rows.
    public var title: String
    /// The path of that item.
    public var path: ItemPath
    /// The version of this answer: two answers to one request that have the same version have the same content.
    public var version: String
    /// The version to insert with, as `ifMatch`; nil unless the level was read by `level(at:)` without a query.
    ///
    /// The server compares it with the first 1,000 rows of the level, in the level's own order.
    public var itemVersion: ItemVersion?
    /// Whether the item has no children.
    public var isLeaf: Bool
    /// The items above, the root first.
    public var ancestors: [ItemLink]
    /// The number of rows on all pages.
    public var count: Int
    /// The position of the first of `rows`: 0 unless this is a page further down.
    public var start: Int
    /// The sections that all rows are divided into; there is always at least one.
    public var sections: [Section] {
        didSet { Section.number(&sections) }
    }
    /// The rows of this page, in order.
    public var rows: [Row]
    /// The link of the next page; nil on the last one.
    public var next: String?
    /// Why the level could not be read, in a sentence: its rows are in another file that is missing or broken.
    public var error: String?

    /// A level with these values; by default it has all rows, in one section.
    ///
    /// Rows without a parent become those of the level.
    public init(
        title: String, path: ItemPath, version: String = "", isLeaf: Bool = false, ancestors: [ItemLink] = [],
        count: Int? = nil, start: Int = 0, sections: [Section]? = nil, rows: [Row] = [], next: String? = nil,
        error: String? = nil
    ) {
        let count = count ?? rows.count
        self.title = title
        self.path = path
        self.version = version
        self.isLeaf = isLeaf
        self.ancestors = ancestors
        self.count = count
        self.start = start
        var numbered = sections ?? [Section(start: 0, count: count)]
        Section.number(&numbered)
        self.sections = numbered
        self.rows = rows
        self.next = next
        self.error = error
        guard !path.isRoot else { return }
        for position in rows.indices where rows[position].parent.isRoot { self.rows[position].parent = path }
    }

    /// How many levels the item is below the root.
    public var depth: Int { path.depth }

    /// Whether all rows are on this page.
    public var isWhole: Bool { start == 0 && rows.count == count }
}
