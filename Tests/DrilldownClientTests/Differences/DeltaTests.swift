import Testing

@testable import DrilldownClient
@testable import TestClient

struct DeltaTests {
    private let level = Level(
        title: "Root", path: .root, version: "1", rows: ["a", "b", "c", "d"].map { Row(key: $0, version: "1") })

    private func level(_ version: String, count: Int) -> Level {
        Level(title: "Root", path: .root, version: version, count: count)
    }

    private func copy(of level: Level, limit: Int?) throws -> LevelCopy {
        try LevelCopy.empty.applying(pages(of: level, limit).map { LevelAnswer(level: $0) }, limit: limit)
    }

    /// The pages of a level as a server gives them; the versions of the rows decide the versions of the pages.
    private func pages(of level: Level, _ limit: Int?) -> [Level] {
        guard let limit else { return [level] }
        return stride(from: 0, to: max(1, level.rows.count), by: limit).map { start in
            var page = level
            page.rows = Array(level.rows[start..<min(start + limit, level.rows.count)])
            page.version = page.rows.map { "\($0.key)=\($0.version)" }.joined(separator: ";")
            page.start = start
            return page
        }
    }

    /// The answer of a server about two states of a page.
    private func answer(from old: Level, to new: Level) -> LevelAnswer {
        let difference = LevelDifference(from: old, to: new)
        let delta = LevelDelta(
            removed: difference.removed.map { old.rows[$0].key },
            inserted: difference.inserted.map { .init(position: $0, value: new.rows[$0]) },
            moved: difference.moved.map { .init(position: $0.new, value: new.rows[$0.new].key) },
            updated: difference.updated.map { .init(position: $0.new, value: new.rows[$0.new]) })
        var head = new
        head.rows = []
        return LevelAnswer(level: head, delta: delta)
    }

    @Test func `A delta gives the new rows and the difference`() throws {
        let delta = LevelDelta(
            removed: ["c"],
            inserted: [.init(position: 3, value: Row(key: "e", version: "1"))],
            moved: [.init(position: 0, value: "d")], updated: [.init(position: 2, value: Row(key: "b", version: "2"))])
        let known = try copy(of: level, limit: 10_000)
        let answer = LevelAnswer(level: level("2", count: 4), delta: delta, follow: "/levels/?since=2&turn=5")
        let new = try known.applying([answer], limit: 10_000)
        #expect(new.level.rows.map(\.key) == ["d", "a", "b", "e"])
        #expect(new.level.rows.map(\.version) == ["1", "1", "2", "1"])
        #expect(new.pages == [.init(follow: "/levels/?since=2&turn=5", count: 4, total: 4)])
        let difference = LevelDifference(from: known.level, to: new.level)
        #expect((difference.removed, difference.inserted) == ([2], [3]))
        #expect(difference.moved == [.init(old: 3, new: 0)])
        #expect(difference.updated == [.init(old: 1, new: 2)])
    }

    @Test(
        arguments: [
            ("a row that is not there goes", ["x"], [], [], [], 3),
            ("a row goes twice", ["a", "a"], [], [], [], 3),
            ("a row that is not there moves", [], [], [(0, "x")], [], 4),
            ("a row goes and moves", ["a"], [], [(0, "a")], [], 4),
            ("a row that is there comes", [], [(0, "a")], [], [], 5),
            ("a row comes after the end", [], [(5, "x")], [], [], 5),
            ("two rows come at one place", [], [(1, "x"), (1, "y")], [], [], 6),
            ("a row comes twice", [], [(1, "x"), (2, "x")], [], [], 6),
            ("another row is updated", [], [], [], [(1, "a")], 4),
            ("a row after the end is updated", [], [], [], [(4, "a")], 4),
            ("there are fewer rows than the level has", ["a"], [], [], [], 4),
        ] as [(String, [String], [(Int, String)], [(Int, String)], [(Int, String)], Int)])
    func `A delta that does not fit is not applied`(
        case: String, removed: [String], inserted: [(Int, String)], moved: [(Int, String)], updated: [(Int, String)],
        count: Int
    ) {
        let known = LevelCopy(level: level, pages: [.init(count: 4, total: 4)])
        let delta = LevelDelta(
            removed: removed, inserted: inserted.map { .init(position: $0.0, value: Row(key: $0.1)) },
            moved: moved.map { .init(position: $0.0, value: $0.1) },
            updated: updated.map { .init(position: $0.0, value: Row(key: $0.1)) })
        let answer = LevelAnswer(level: level("2", count: count), delta: delta)
        #expect(throws: LevelDelta.Misfit.self) { try known.applying([answer], limit: 10_000) }
        let fitting = LevelAnswer(level: level("2", count: 3), delta: LevelDelta(removed: ["a"]))
        #expect(throws: Never.self) { try known.applying([fitting], limit: 10_000) }
        #expect(throws: LevelDelta.Misfit.self) { try LevelCopy.empty.applying([fitting], limit: 10_000) }
    }

    @Test(arguments: [nil, 1, 3, 5, 100])
    func `Random deltas of pages give the new rows and the difference`(limit: Int?) throws {
        var random = RandomLevel()
        var old = random.level(rows: 14)
        var copy = try copy(of: old, limit: limit)
        for _ in 0..<500 {
            let new = random.changed(old)
            let (before, after) = (pages(of: old, limit), pages(of: new, limit))
            let answers = after.enumerated().map { number, page in
                guard number < before.count, Int.random(in: 0..<8) > 0 else { return LevelAnswer(level: page) }
                return answer(from: before[number], to: page)
            }
            let next = try copy.applying(answers, limit: limit)
            let difference = LevelDifference(from: copy.level, to: next.level)
            let update = LevelUpdate(level: next.level, difference: difference, isFromCache: false, interruption: nil)
            #expect(TableModel.fault(of: update, after: copy.level) == nil)
            #expect(next.level.rows == new.rows)
            #expect(next.level.sections == new.sections)
            #expect(next.isComplete)
            (old, copy) = (new, next)
        }
    }
}
