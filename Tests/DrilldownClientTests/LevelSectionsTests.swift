import DrilldownClient
import Foundation
import Testing

@Suite struct LevelSectionsTests {
    /// Rows 2 to 5 of a level of six rows in three sections, the second of which is empty.
    private static let page = Level(
        title: "Page", path: .root, count: 6, start: 2,
        sections: [
            Level.Section(title: "A", start: 0, count: 4), Level.Section(title: "B", start: 4, count: 0),
            Level.Section(title: "C", start: 4, count: 2),
        ],
        rows: ["c", "d", "e"].map { Row(key: $0) })

    private static let rows: [(Int, Int, String?)] = [
        (0, 2, "c"), (0, 3, "d"), (2, 0, "e"), (0, 0, nil), (0, 1, nil), (0, 4, nil), (1, 0, nil), (2, 1, nil),
        (2, 2, nil), (3, 0, nil), (-1, 0, nil), (0, -1, nil), (.max, .max, nil), (.min, .min, nil), (0, .max, nil),
        (0, .min, nil), (2, .max, nil), (.max, 0, nil),
    ]

    @Test(arguments: rows) func `a row is found by section and row, or is nil`(
        _ section: Int, _ row: Int, _ key: String?
    ) {
        #expect(Self.page[section: section, row: row]?.key == key)
        #expect(Self.page[IndexPath(indexes: [section, row])]?.key == key)
    }

    @Test func `index paths lead to the rows of the page`() {
        let page = Self.page
        #expect(page.sections.map { page.rows(in: $0).map(\.key) } == [["c", "d"], [], ["e"]])
        #expect(page.indexPath(of: "e") == IndexPath(indexes: [2, 0]))
        #expect(page.indexPath(of: "z") == nil)
        #expect(page.indexPath(at: 0) == IndexPath(indexes: [0, 0]))
        #expect(page.indexPath(at: 6) == nil)
        #expect(page[IndexPath(index: 0)] == nil)
        #expect(page[IndexPath(indexes: [0, 2, 0])] == nil)
        #expect(!page.isWhole)
    }

    private static let extremes: [(Int, Int, Range<Int>)] = [
        (.max - 1, 1, .max - 1 ..< .max), (.min, 5, .min ..< .min + 5), (0, -1, 0..<0), (5, .min, 5..<5),
        (1, .max, 1..<1), (.max, 1, .max ..< .max), (.max, .max, .max ..< .max),
    ]

    @Test(arguments: extremes)
    func `a section whose end is not a position has no rows`(_ start: Int, _ count: Int, _ range: Range<Int>) {
        let section = Level.Section(start: start, count: count)
        #expect(section.range == range)
        for first in [0, 2, start] {
            let level = Level(
                title: "L", path: .root, count: 1, start: first, sections: [section], rows: [Row(key: "a")])
            let hasRow = first == start && !range.isEmpty
            #expect(level[section: 0, row: 0]?.key == (hasRow ? "a" : nil))
            #expect([1, 4, .max].allSatisfy { level[section: 0, row: $0] == nil })
            #expect(level.rows(in: section).map(\.key) == (hasRow ? ["a"] : []))
            #expect(level.indexPath(of: "a") == (hasRow ? IndexPath(indexes: [0, 0]) : nil))
            #expect(LevelDifference(from: level, to: Level(title: "L", path: .root)).removed == [0])
        }
    }
}
