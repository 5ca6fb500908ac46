import Foundation
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// Random tables in every order that a query names, page by page, against plain arrays.
@Suite("Rows in an order") struct OrderedRowTests {
    /// The parts of a level's answer that show its rows.
    private struct Page: Decodable {
        struct Section: Decodable, Equatable { let title: String?, start: Int, count: Int }
        struct Row: Decodable { let title: String }
        let count: Int
        let sections: [Section]
        let rows: [Row]
        let start: Int?
        let next: String?

        init(_ desk: Desk, _ target: String) throws {
            let answer = desk.get(target)
            self = try JSONDecoder().decode(Page.self, from: Data(answer.body))
        }
    }

    private static func sections(_ expected: [(title: String?, rows: [PlainTable.Row])]) -> [Page.Section] {
        var start = 0
        return expected.map { section in
            defer { start += section.rows.count }
            return Page.Section(title: section.title, start: start, count: section.rows.count)
        }
    }

    private static func query(isSearch: Bool, using generator: inout SeededGenerator) -> PlainTableQuery {
        isSearch ? .randomSearch(using: &generator) : .random(using: &generator)
    }

    /// The hits of a search are in several levels.
    private static func desk(_ table: PlainTable, isSearch: Bool) throws -> Desk {
        try Desk(isSearch ? table.documentInFolders() : table.document())
    }

    @Test(
        "show on all pages together the rows of plain arrays, hits of a search too",
        arguments: RandomRounds.first(40 as UInt64), [false, true])
    func pages(seed: UInt64, isSearch: Bool) throws {
        var generator = SeededGenerator(seed: seed)
        let table = PlainTable(rows: generator.below(60), using: &generator)
        let query = Self.query(isSearch: isSearch, using: &generator)
        let expected = query.sections(of: table)
        let titles = expected.flatMap(\.rows).map(\.title)
        let desk = try Self.desk(table, isSearch: isSearch)
        var seen: [String] = []
        var next: String? = "/levels/?limit=\(1 + generator.below(12))&\(query)"
        while let target = next {
            let page = try Page(desk, target)
            #expect(page.count == titles.count && page.start == seen.count, "\(query), seed \(seed)")
            #expect(page.sections == Self.sections(expected), "\(query), seed \(seed)")
            seen += page.rows.map(\.title)
            next = page.next
        }
        #expect(seen == titles, "\(query), seed \(seed)")
        let start = generator.below(titles.count + 1)
        let part = try Page(desk, "/levels/?start=\(start)&limit=5&\(query)")
        #expect(part.rows.map(\.title) == Array(titles[start...].prefix(5)), "\(query), seed \(seed)")
    }

    @Test(
        "come once if they are there throughout, while others come, go and change between the pages",
        arguments: 0..<16 as Range<UInt64>, [false, true])
    func changingPages(seed: UInt64, isSearch: Bool) throws {
        var generator = SeededGenerator(seed: seed)
        var table = PlainTable(rows: 20 + generator.below(60), using: &generator)
        let query = Self.query(isSearch: isSearch, using: &generator)
        var touched: Set<String> = []
        var seen: [String] = []
        var titles: [[String?]] = []
        var next: String? = "/levels/?limit=\(1 + generator.below(8))&\(query)"
        while let target = next, titles.count < 200 {
            let sections = query.sections(of: table)
            titles.append(sections.map(\.title))
            let page = try Page(Self.desk(table, isSearch: isSearch), target)
            seen += page.rows.map(\.title)
            next = page.next
            touched.formUnion(Self.change(&table, around: seen.last, using: &generator))
        }
        #expect(next == nil, "\(query), seed \(seed): the pages end")
        // Sections by a field are in the order of first appearance: only a change of that order moves untouched rows.
        titles.append(query.sections(of: table).map(\.title))
        guard Self.areInOneOrder(titles) else { return }
        let staying = query.sections(of: table).flatMap(\.rows).map(\.title).filter { !touched.contains($0) }
        #expect(seen.filter(staying.contains) == staying, "\(query), seed \(seed)")
    }

    /// Inserts, deletes and changes a few rows, sometimes the rows seen last; returns their titles.
    private static func change(
        _ table: inout PlainTable, around last: String?, using generator: inout SeededGenerator
    ) -> Set<String> {
        var touched: Set<String> = []
        for _ in 0..<generator.below(4) {
            let seen = table.rows.firstIndex { $0.title == last }
            let place = generator.one(in: 2) ? seen : nil
            let row = place ?? generator.below(max(1, table.rows.count))
            guard row < table.rows.count else { continue }
            touched.insert(table.rows[row].title)
            switch generator.below(3) {
            case 0: table.rows.remove(at: row)
            case 1: table.change(row, using: &generator)
            default: touched.insert(table.insert(at: row, using: &generator))
            }
        }
        return touched
    }

    private static func areInOneOrder(_ lists: [[String?]]) -> Bool {
        var pairs: Set<[String?]> = []
        for list in lists {
            for (index, one) in list.enumerated() { for other in list[(index + 1)...] { pairs.insert([one, other]) } }
        }
        return !pairs.contains { pairs.contains([$0[1], $0[0]]) }
    }

    @Test(
        "A cursor goes on in the right place whatever became of its row",
        arguments: [
            ("no change", ["a1", "b1", "c2", "d2", "e2", "f3"], ["d2", "e2", "f3"]),
            ("its row deleted", ["a1", "b1", "d2", "e2", "f3"], ["d2", "e2", "f3"]),
            ("its row sorted elsewhere", ["a1", "b1", "c9", "d2", "e2", "f3"], ["d2", "e2", "f3", "c9"]),
            ("its row before all", ["a1", "b1", "c0", "d2", "e2", "f3"], ["d2", "e2", "f3"]),
            ("the row before it sorted elsewhere", ["a1", "b9", "c2", "d2", "e2", "f3"], ["d2", "e2", "f3", "b9"]),
            (
                "its row deleted, the one before it elsewhere", ["a1", "b9", "d2", "e2", "f3"],
                ["d2", "e2", "f3", "b9"]
            ),
            ("all rows before it deleted", ["d2", "e2", "f3"], ["d2", "e2", "f3"]),
            ("rows inserted before it", ["x0", "y0", "a1", "b1", "z1", "c2", "d2", "e2", "f3"], ["d2", "e2", "f3"]),
            ("a row inserted at its place", ["a1", "b1", "c2", "x2", "d2", "e2", "f3"], ["x2", "d2", "e2", "f3"]),
            ("the rows after it sorted elsewhere", ["a1", "b1", "c2", "d0", "e9", "f3"], ["f3", "e9"]),
        ] as [(String, [String], [String])])
    func cursor(name: String, rows: [String], expected: [String]) throws {
        // The field N counts up, M counts down.
        func desk(_ rows: [String]) throws -> Desk {
            let items = rows.map { row in
                let number = Int(row.suffix(1)) ?? 0
                return #"{"Title":"\#(row.prefix(1))","N":\#(number),"M":\#(-number)}"#
            }
            return try Desk("[" + items.joined(separator: ",") + "]")
        }
        for query in ["sort=N", "sort=N&group=None", "sort=-M,N&where=N%3E-1"] {
            let first = try desk(["a1", "b1", "c2", "d2", "e2", "f3"])
            let next = try #require(try Page(first, "/levels/?limit=3&\(query)").next)
            let page = try Page(desk(rows), next.replacing("limit=3", with: "limit=9"))
            #expect(page.rows.map(\.title) == expected.map { String($0.prefix(1)) }, "\(name), \(query)")
        }
    }

    @Test("A cursor holds among texts that begin with the same 300 characters")
    func longKeys() throws {
        let long = String(repeating: "x", count: 300)
        func desk(_ rows: [String]) throws -> Desk {
            try Desk("[" + rows.map { "\"\(long)\($0)\"" }.joined(separator: ",") + "]")
        }
        let next = try #require(try Page(desk(["d", "a", "c", "b", "e"]), "/levels/?limit=3&sort=Title").next)
        #expect(next.utf8.count < 700)
        for rows in [["d", "a", "c", "b", "e"], ["d", "a", "b", "e"], ["x1", "d", "A1", "a", "b", "e"]] {
            let page = try Page(desk(rows), next)
            #expect(page.rows.first?.title == long + "d", "\(rows)")
        }
    }

    @Test("Sections by a field keep a cursor's place after its own section has gone")
    func goneSection() throws {
        func desk(_ rows: [String]) throws -> Desk {
            try Desk("[" + rows.map { #"{"Title":"\#($0)","K":"\#($0.prefix(1))"}"# }.joined(separator: ",") + "]")
        }
        let next = try #require(try Page(desk(["a1", "b1", "b2", "c1", "c2"]), "/levels/?limit=3&group=K").next)
        #expect(next.contains(".."))
        #expect(try Page(desk(["a1", "c1", "c2"]), next).rows.map(\.title) == ["c1", "c2"])
        #expect(try Page(desk(["c1", "c2"]), next).rows.map(\.title) == ["c1", "c2"])
        #expect(try Page(desk(["a1", "b2", "b3", "c1"]), next).rows.map(\.title) == ["b3", "c1"])
    }

    @Test(
        "A cursor of another order still leads near its rows, and text that is no cursor is refused",
        arguments: [".AAAAAAAAAAA", ".", "..", "..AAAAAAAAAAA.", ".PAAAAAAAAAA", "..AAAAAAAAA"])
    func refused(_ tail: String) throws {
        let desk = try Desk(#"["a","b","c"]"#)
        let next = try #require(try Page(desk, "/levels/?limit=1").next)
        #expect(try Page(desk, next + "&sort=-Title").rows.map(\.title) == [])
        #expect(desk.get(next + tail).status == 400)
    }

    @Test(
        "A page goes on after a hit that is found elsewhere since, because another title, or another field, decides",
        arguments: [
            ("q=pump", "abc", #"{"Key":"c","Title":"Pump c"}"#, "def"),
            ("q=pump", "abc", #"{"Key":"c","Title":"Overpumped"}"#, "dcef"),
            ("q=pump&sort=N", "abc", #"{"Key":"c","Title":"a pump","N":-1}"#, "def"),
            ("q=pump&sort=N", "abc", #"{"Key":"c","Title":"a pump","N":3}"#, "dcef"),
            ("q=pump&sort=N", "abc", #"{"Key":"c","Title":"none"}"#, "def"),
            ("q=pump&group=initial", "abc", #"{"Key":"c","Title":"pump"}"#, "defc"),
        ])
    func movedHit(query: String, first: String, changed: String, rest: String) throws {
        func desk(_ third: String) throws -> Desk {
            try Desk(
                #"""
                [{"Title":"-","Children":[{"Key":"a","Title":"a pump","N":1},{"Key":"b","Title":"a pump","N":1},\#(third)]},
                {"Key":"d","Title":"a pump","N":1},{"Key":"e","Title":"impump","N":4},{"Key":"f","Title":"impump","N":5}]
                """#)
        }
        let before = try Keys(desk(#"{"Key":"c","Title":"a pump","N":1}"#), "/levels/?limit=3&" + query)
        #expect(before.text == first)
        let next = try #require(before.next).replacing("limit=3", with: "limit=9")
        #expect(try Keys(desk(changed), next).text == rest)
    }

    private struct Keys: Decodable {
        struct Row: Decodable { let key: String }
        let rows: [Row]
        let next: String?
        var text: String { rows.map(\.key).joined() }

        init(_ desk: Desk, _ target: String) throws {
            self = try JSONDecoder().decode(Keys.self, from: Data(desk.get(target).body))
        }
    }
}
