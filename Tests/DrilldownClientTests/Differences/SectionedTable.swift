import Foundation
import Testing

@testable import DrilldownClient

/// A table with sections, which is changed in one batch by index paths, as `UITableView` is.
struct SectionedTable: Equatable {
    private(set) var sections: [[String]]

    init(_ level: Level) {
        sections = level.sections.map { section in level.rows[section.range].map(\.key) }
    }

    /// Deletes by old positions, the last first, then inserts by new positions, the first first.
    mutating func apply(_ difference: LevelDifference) throws {
        let (old, new) = (difference.old, difference.new)
        for position in (difference.removed + difference.moved.map(\.old)).sorted(by: >) {
            let path = try #require(old.indexPath(at: position))
            sections[path[0]].remove(at: path[1])
        }
        for position in (difference.inserted + difference.moved.map(\.new)).sorted() {
            let path = try #require(new.indexPath(at: position))
            try #require(path[1] <= sections[path[0]].count)
            sections[path[0]].insert(new.rows[position].key, at: path[1])
        }
    }
}
