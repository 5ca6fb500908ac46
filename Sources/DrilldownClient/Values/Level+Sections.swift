public import Foundation

// What a table view asks for.
extension Level {
    /// The row at a position in a section; nil if there is none, or if it is not on this page.
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

    /// The row at an index path of a section and a row; nil if there is none, or if it is not on this page.
    public subscript(indexPath: IndexPath) -> Row? {
        guard indexPath.count == 2 else { return nil }
        return self[section: indexPath[0], row: indexPath[1]]
    }

    /// The rows of a section that are on this page.
    public func rows(in section: Section) -> ArraySlice<Row> {
        let shown = section.range.clamped(to: Section(start: start, count: rows.count).range)
        return rows[shown.lowerBound - start..<shown.upperBound - start]
    }

    /// The index path of the row with an identity; nil if it is not on this page. It looks through the rows.
    public func indexPath(of id: Row.ID) -> IndexPath? {
        guard let position = rows.firstIndex(where: { $0.id == id }) else { return nil }
        return indexPath(at: start.saturatingSum(position))
    }

    /// The index path of the row at a position on the level, not on this page; nil if no section has it.
    public func indexPath(at position: Int) -> IndexPath? {
        guard let section = sections.firstIndex(where: { $0.range.contains(position) }) else { return nil }
        return IndexPath(indexes: [section, position - sections[section].range.lowerBound])
    }
}
