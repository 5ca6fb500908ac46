import Foundation
import Testing

@testable import DrilldownClient

/// A table with the sections of a level or a page, which is changed in one batch by index paths, as `UITableView` is.
struct SectionedTable: Equatable {
    private(set) var sections: [[String]]

    init(_ level: Level) {
        sections = level.sections.map { section in
            section.range.map { position in
                level.rows.indices.contains(position - level.start)
                    ? level.rows[position - level.start].key : "elsewhere"
            }
        }
    }

    /// Deletes by old positions, the last first, then inserts by new positions, the first first.
    mutating func apply(_ difference: LevelDifference) throws {
        let leaving = difference.removedIndexPaths + difference.movedIndexPaths.map(\.old)
        try #require(leaving.count == difference.removed.count + difference.moved.count)
        for path in leaving.sorted(by: >) { sections[path[0]].remove(at: path[1]) }
        let coming = difference.insertedIndexPaths + difference.movedIndexPaths.map(\.new)
        try #require(coming.count == difference.inserted.count + difference.moved.count)
        for path in coming.sorted() {
            try #require(path[1] <= sections[path[0]].count)
            let row = try #require(difference.new[path])
            sections[path[0]].insert(row.key, at: path[1])
        }
    }
}
