public import Foundation

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
    /// The version of this answer. If two answers to the same request have the same version, their content is the same.
    public var version: String
    /// The version for `ifMatch` of an insertion; nil unless the level was read by `level(at:)` without a query.
    ///
    /// The server compares it with the current version of the level's first 1,000 rows, in the level's own order.
    public var itemVersion: ItemVersion?
    /// Whether the item is a leaf, without children.
    public var isLeaf: Bool
    /// The items above the item, the root first.
    public var ancestors: [ItemLink]
    /// The number of rows on all pages.
    public var count: Int
    /// The position of the first row of `rows` on the level; 0 unless this is a page further down.
    public var start: Int
    /// The sections of the rows on all pages; the server sends at least one section.
    public var sections: [Section] {
        didSet { Section.number(&sections) }
    }
    /// The rows of this page, in order.
    public var rows: [Row]
    /// The link of the next page; nil on the last page.
    public var next: String?
    /// The reason why the rows could not be read, as a sentence: they are in another file, which is missing or broken.
    /// Nil if the rows could be read.
    public var error: String?

    /// Creates a level with these values. By default, `rows` are all rows of the level, in one section.
    ///
    /// A row whose parent is the root becomes a child of the item at `path`. The root is the default parent of a row.
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

    /// The number of levels from the root down to the item; 0 for the root.
    public var depth: Int { path.depth }

    /// Whether all rows are on this page.
    public var isWhole: Bool { start == 0 && rows.count == count }
}

// Access by section and row, for a table view.
extension Level {
    /// The row at a position in a section; nil if the row does not exist or is not on this page.
    ///
    /// ```swift
    /// cell.textLabel?.text = level[section: indexPath.section, row: indexPath.row]?.title
    /// ```
    public subscript(section section: Int, row row: Int) -> Row? {
        guard sections.indices.contains(section), row >= 0, row < sections[section].count else { return nil }
        let range = sections[section].range
        guard row < range.count else { return nil }
        let (position, overflow) = (range.lowerBound + row).subtractingReportingOverflow(start)
        return !overflow && rows.indices.contains(position) ? rows[position] : nil
    }

    /// The row at an index path, which names a section and a row in the section; nil if the row does not exist or is
    /// not on this page.
    public subscript(indexPath: IndexPath) -> Row? {
        guard indexPath.count == 2 else { return nil }
        return self[section: indexPath[0], row: indexPath[1]]
    }

    /// Returns the rows of a section that are on this page; empty if all of them are on other pages.
    public func rows(in section: Section) -> ArraySlice<Row> {
        rows[shownPositions(of: section)]
    }

    func shownPositions(of section: Section) -> Range<Int> {
        let shown = section.range.clamped(to: Section(start: start, count: rows.count).range)
        return shown.lowerBound - start..<shown.upperBound - start
    }

    /// Returns the index path of the row with an identity; nil if the row is not on this page.
    ///
    /// - Complexity: linear in the number of rows on this page.
    public func indexPath(of id: Row.ID) -> IndexPath? {
        guard let position = rows.firstIndex(where: { $0.id == id }) else { return nil }
        return indexPath(at: start.saturatingSum(position))
    }

    /// Returns the index path of the row at a position; nil if no section contains the position.
    ///
    /// - Parameter position: the position on the whole level, not on this page.
    public func indexPath(at position: Int) -> IndexPath? {
        guard let section = sections.firstIndex(where: { $0.range.contains(position) }) else { return nil }
        return IndexPath(indexes: [section, position - sections[section].range.lowerBound])
    }

    /// A section of a level: consecutive rows, with a title.
    public struct Section: Identifiable, Sendable {
        /// The title above the rows; nil for a section without a title.
        public var title: String?
        /// The text in the index at the side of a table; nil if the section is not in the index.
        public var index: String?
        /// The position of the section's first row on the level.
        public var start: Int
        /// The number of the section's rows.
        public var count: Int
        /// The text below the rows; nil for a section without a footer.
        public var footer: String?

        /// The number of earlier sections with the same title. The level sets this number.
        private(set) var ordinal = 0

        /// The identity of the section on its level, which stays the same when rows are inserted or removed.
        public var id: ID { ID(title: title, ordinal: ordinal) }

        /// The identity of a section on its level: the title, and the number of earlier sections with the same title.
        public struct ID: Hashable, Sendable {
            /// The title above the rows; nil for a section without a title.
            public let title: String?
            let ordinal: Int
        }

        /// Creates a section with these values.
        public init(title: String? = nil, index: String? = nil, start: Int, count: Int, footer: String? = nil) {
            self.title = title
            self.index = index
            self.start = start
            self.count = count
            self.footer = footer
        }

        /// The positions of the section's rows on the level; empty if `start` and `count` are not a range of positions.
        public var range: Range<Int> {
            let (end, overflow) = start.addingReportingOverflow(count)
            return count >= 0 && !overflow ? start..<end : start..<start
        }

        static func number(_ sections: inout [Section]) {
            var counts: [String?: Int] = [:]
            for position in sections.indices {
                let title = sections[position].title
                let ordinal = counts[title, default: 0]
                counts[title] = ordinal + 1
                if sections[position].ordinal != ordinal { sections[position].ordinal = ordinal }
            }
        }
    }
}

extension Level.Section: Hashable {
    /// Returns whether two sections have the same texts, start and count.
    ///
    /// The ordinal is not compared, because only a level sets it.
    public static func == (left: Self, right: Self) -> Bool {
        left.title == right.title && left.index == right.index && left.start == right.start
            && left.count == right.count && left.footer == right.footer
    }

    /// Adds the texts, the start and the count to a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(title)
        hasher.combine(index)
        hasher.combine(start)
        hasher.combine(count)
        hasher.combine(footer)
    }
}

extension Int {
    /// Returns the sum; if the sum overflows, the `Int` nearest to it.
    func saturatingSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }
}
