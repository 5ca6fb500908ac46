import Testing

@testable import DrilldownClient
@testable import TestClient

struct LevelDifferenceTests {
    private func level(_ keys: String, sections: [Int]? = nil) -> Level {
        let rows = keys.map { key in Row(key: key.lowercased(), version: String(key)) }
        var start = 0
        let sections = sections?.map { count in
            defer { start += count }
            return Level.Section(title: nil, start: start, count: count)
        }
        return Level(title: "Root", path: .root, sections: sections, rows: rows)
    }

    private func positions(_ pairs: (Int, Int)...) -> [LevelDifference.Positions] {
        pairs.map { LevelDifference.Positions(old: $0.0, new: $0.1) }
    }

    @Test func `A row that goes, one that comes, one that moves and one that shows something else`() {
        let difference = LevelDifference(from: level("abcd"), to: level("daBe"))
        #expect(difference.removed == [2])
        #expect(difference.inserted == [3])
        #expect(difference.moved == positions((3, 0)))
        #expect(difference.updated == positions((1, 2)))
        #expect(!difference.sectionsChanged)
        #expect(!difference.isEmpty)
    }

    @Test func `A row that moves and shows something else is in both lists`() {
        let difference = LevelDifference(from: level("abc"), to: level("bcA"))
        #expect(difference.moved == positions((0, 2)))
        #expect(difference.updated == positions((0, 2)))
        #expect(difference.removed.isEmpty && difference.inserted.isEmpty)
    }

    @Test func `As few rows as possible move`() {
        #expect(LevelDifference(from: level("abcdefgh"), to: level("habcdefg")).moved == positions((7, 0)))
        #expect(LevelDifference(from: level("abcdefgh"), to: level("bcdefgha")).moved == positions((0, 7)))
        #expect(LevelDifference(from: level("abcdef"), to: level("xbcdeaf")).moved == positions((0, 5)))
    }

    @Test func `Equal levels have an empty difference`() {
        #expect(LevelDifference(from: level("abc"), to: level("abc")).isEmpty)
        #expect(LevelDifference(from: level(""), to: level("")).isEmpty)
    }

    @Test(arguments: [
        ([2, 1], [1, 2], true),  // b is in the other section, although it did not move
        ([2, 1], [2, 1], false),
        ([3], [2, 1], true),
        ([3, 0], [3], true),
    ])
    func `Rows that change their section without a move count as changed sections`(
        old: [Int], new: [Int], isChanged: Bool
    ) {
        let difference = LevelDifference(from: level("abc", sections: old), to: level("abc", sections: new))
        #expect(difference.sectionsChanged == isChanged)
    }

    @Test func `A title, an index or a footer that changes counts as changed sections`() {
        for change in [\Level.Section.title, \.index, \.footer] {
            var new = level("abc")
            new.sections[0][keyPath: change] = "new"
            let difference = LevelDifference(from: level("abc"), to: new)
            #expect(difference.sectionsChanged && !difference.isEmpty)
        }
    }

    @Test func `A section of a page that grows by rows of other pages counts as changed sections`() {
        var (old, new) = (level("abc"), level("abc"))
        old.start = 10
        old.sections = [Level.Section(start: 0, count: 50)]
        new.start = 10
        new.sections = [Level.Section(start: 0, count: 51)]
        #expect(LevelDifference(from: old, to: old).isEmpty)
        #expect(LevelDifference(from: old, to: new).sectionsChanged)
    }

    @Test func `A page that a row is inserted on counts as changed sections, since its last row leaves`() {
        var (old, new) = (level("abc"), level("xab"))
        (old.sections, new.sections) = ([Level.Section(start: 0, count: 50)], [Level.Section(start: 0, count: 51)])
        let difference = LevelDifference(from: old, to: new)
        #expect((difference.removed, difference.inserted) == ([2], [0]))
        #expect(difference.sectionsChanged)
    }

    /// A page of a level.
    private func page(_ level: Level, start: Int, limit: Int) -> Level {
        var page = level
        page.start = min(start, level.rows.count)
        page.rows = Array(level.rows[page.start...].prefix(limit))
        return page
    }

    @Test(arguments: [(0, 5), (3, 4), (0, 1), (8, 100)])
    func `The index paths of random pages lead from the old table to the new one`(start: Int, limit: Int) throws {
        var random = RandomLevel()
        var old = random.level(rows: 12)
        var tables = 0
        for _ in 0..<2_000 {
            let new = random.changed(old)
            let difference = LevelDifference(
                from: page(old, start: start, limit: limit), to: page(new, start: start, limit: limit))
            if !difference.sectionsChanged {
                tables += 1
                var table = SectionedTable(difference.old)
                try table.apply(difference)
                #expect(table == SectionedTable(difference.new))
            }
            old = new
        }
        #expect(tables > 0)
    }

    @Test func `The difference of random levels leads from the old rows to the new ones`() throws {
        var random = RandomLevel()
        var old = random.level(rows: 12)
        for _ in 0..<2_000 {
            let new = random.changed(old)
            let difference = LevelDifference(from: old, to: new)
            let update = LevelUpdate(level: new, difference: difference, isFromCache: false, interruption: nil)
            #expect(TableModel.fault(of: update, after: old) == nil)
            if !difference.sectionsChanged {
                var table = SectionedTable(old)
                try table.apply(difference)
                #expect(table == SectionedTable(new))
            }
            old = new
        }
    }

    @Test func `Rows with the same identity do no harm`() {
        let (old, new) = (level("aabca"), level("caab"))
        let update = LevelUpdate(
            level: new, difference: LevelDifference(from: old, to: new), isFromCache: false, interruption: nil)
        #expect(TableModel.fault(of: update, after: old) == nil)
    }

    @Test func `The longest increasing subsequence`() {
        #expect([Int]().longestIncreasingSubsequence == [])
        #expect([5].longestIncreasingSubsequence == [0])
        #expect([3, 2, 1].longestIncreasingSubsequence == [2])
        #expect([2, 0, 1, 5, 3, 4].longestIncreasingSubsequence == [1, 2, 4, 5])
    }
}
