import Foundation
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// Levels that are in an order of their own: `SortBy` and `GroupBy` of the item (manual, Documents).
@Suite("A level with an order of its own") struct OwnOrderTests {
    private struct Level: Decodable, Equatable {
        struct Section: Decodable, Equatable { let title: String?, index: String?, start: Int, count: Int }
        struct Row: Decodable, Equatable { let title: String, href: String }
        let version: String
        let sections: [Section]
        let rows: [Row]
        let next: String?

        init(_ desk: Desk, _ target: String) throws {
            self = try JSONDecoder().decode(Level.self, from: Data(desk.get(target).body))
        }

        func showsTheSame(as other: Level) -> Bool { sections == other.sections && rows == other.rows }
    }

    private struct Detail: Decodable {
        struct Link: Decodable, Equatable { let title: String }
        struct Position: Decodable, Equatable { let index: Int, of: Int, section: Int, first: Bool, last: Bool }
        let position: Position
        let previous, next, firstChild, lastChild: Link?
        let fields: Fields
        struct Fields: Decodable {
            let sortBy, groupBy: String?

            enum CodingKeys: String, CodingKey {
                case sortBy = "SortBy"
                case groupBy = "GroupBy"
            }
        }

        init(_ desk: Desk, _ target: String) throws {
            self = try JSONDecoder().decode(Detail.self, from: Data(desk.get(target).body))
        }
    }

    @Test(
        "shows what a query of the same order shows, and another query overrides it",
        arguments: RandomRounds.first(28 as UInt64))
    func rows(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Small levels are ordered for each answer, large ones are kept in order.
        let table = PlainTable(rows: generator.one(in: 10) ? 300 : generator.below(30), using: &generator)
        let own = PlainTableQuery.random(using: &generator)
        var asked = PlainTableQuery.random(using: &generator)
        let members = [own.sort.map { #","SortBy":"\#($0)""# }, own.group.map { #","GroupBy":"\#($0)""# }]
        let desk = try Desk(table.document(members.compactMap(\.self).joined()))
        let plain = try Desk(table.document())
        let shown = PlainTableQuery(sort: own.sort, group: own.group)
        #expect(
            try Level(desk, "/levels/").showsTheSame(as: Level(plain, "/levels/?\(shown)")), "\(shown), seed \(seed)")
        let query = asked.description
        asked.sort = asked.sort ?? own.sort
        asked.group = asked.group ?? own.group
        let limit = "limit=\(1 + generator.below(9))&"
        var pages = (try Level(desk, "/levels/?\(limit)\(query)"), try Level(plain, "/levels/?\(limit)\(asked)"))
        while true {
            #expect(pages.0.showsTheSame(as: pages.1), "\(own) under \(query), seed \(seed)")
            guard let next = pages.0.next, let other = pages.1.next else { break }
            pages = (try Level(desk, next), try Level(plain, other))
        }
        #expect(pages.0.next == nil && pages.1.next == nil)
    }

    @Test("gives details their positions and neighbours in it", arguments: 0..<20 as Range<UInt64>)
    func details(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let table = PlainTable(rows: seed == 0 ? 300 : 1 + generator.below(25), using: &generator)
        var query = PlainTableQuery.random(using: &generator)
        query.conditions = []
        let members = [query.sort.map { #","SortBy":"\#($0)""# }, query.group.map { #","GroupBy":"\#($0)""# }]
        let desk = try Desk(table.document(members.compactMap(\.self).joined()))
        let level = try Level(desk, "/levels/")
        let root = try Detail(desk, "/detail/")
        #expect(root.firstChild?.title == level.rows.first?.title && root.lastChild?.title == level.rows.last?.title)
        #expect(root.fields.sortBy == query.sort && root.fields.groupBy == query.group)
        for (index, row) in level.rows.enumerated() {
            let detail = try Detail(desk, row.href)
            let section = level.sections.lastIndex { $0.start <= index } ?? 0
            #expect(
                detail.position
                    == .init(
                        index: index, of: level.rows.count, section: section, first: index == 0,
                        last: index == level.rows.count - 1), "\(query), seed \(seed)")
            #expect(detail.previous?.title == (index > 0 ? level.rows[index - 1].title : nil))
            #expect(detail.next?.title == (index + 1 < level.rows.count ? level.rows[index + 1].title : nil))
        }
    }

    @Test("is in the document as its file has it, and under empty options with the file's sections")
    func document() throws {
        let sections = #"[{"Title":"One","Rows":["b","c"]},{"Title":"Two","Rows":["a"]}]"#
        let desk = try Desk(#"{"SortBy":"Title","Sections":\#(sections)}"#)
        #expect(desk.get("/document?format=json").line == #"{"SortBy":"Title","Sections":\#(sections)}"#)
        let level = try Level(desk, "/levels/")
        #expect(level.rows.map(\.title) == ["a", "b", "c"])
        #expect(level.sections.map(\.title) == [nil])
        let filed = try Level(desk, "/levels/?sort=")
        #expect(filed.rows.map(\.title) == ["b", "c", "a"])
        #expect(filed.sections.map(\.title) == ["One", "Two"])
        #expect(try Level(desk, "/levels/?group=").rows.map(\.title) == ["a", "b", "c"])
    }

    @Test("does not order the hits of a search")
    func hits() throws {
        let desk = try Desk(#"{"SortBy":"-Title","GroupBy":"Title","Rows":["xa","xc","xb"]}"#)
        let found = try Level(desk, "/levels/?q=x")
        #expect(found.rows.map(\.title) == ["xa", "xc", "xb"])
        #expect(found.sections.map(\.title) == [nil])
    }

    @Test("is not that of another item with the same rows, however many these are")
    func equalLevels() throws {
        let rows = (100..<400).map { "\"\($0)\"" }.joined(separator: ",")
        let items = ["Title", "-Title"].map { #"{"Title":"\#($0)","SortBy":"\#($0)","Children":[\#(rows)]}"# }
        let desk = try Desk("[\(items.joined(separator: ","))]")
        for _ in 0..<2 {
            #expect(try Level(desk, "/levels/Title").rows.first?.title == "100")
            #expect(try Level(desk, "/levels/-Title").rows.first?.title == "399")
        }
    }

    @Test("has another version, and is listed in the changes, if its order changes the shown rows")
    func versions() throws {
        func snapshot(_ order: String, _ number: Int) throws -> Snapshot {
            let tree = try Document.tree(
                #"[{"Title":"x","SortBy":"\#(order)","Children":["b","a",{"Title":"c"}]},"y"]"#)
            return Desk.snapshot(tree, revision: "k3-\(number)")
        }
        let desk = Desk(try snapshot("Title", 1))
        let first = try Level(desk, "/levels/x")
        let detail = desk.get("/detail/x/b")
        for _ in 0..<3 { _ = (desk.get("/levels/x"), desk.get("/detail/x/b")) }
        desk.api.publish(try snapshot("-Title", 2))
        #expect(try Level(desk, "/levels/x").rows.map(\.title) == ["c", "b", "a"])
        #expect(try Level(desk, "/levels/x").version != first.version)
        #expect(desk.get("/detail/x/b").body != detail.body)
        #expect(
            desk.get("/changes?since=k3-1").text.contains(
                #""levels":["/levels/","/levels/x"],"details":["/detail/x"]"#))
        #expect(
            desk.get("/levels/x?since=\(first.version)").text.contains(
                #""removed":[],"inserted":[],"moved":[{"at":1,"key":"b"},{"at":2,"key":"a"}],"updated":[]"#))
        // In an order that shows the same, nothing but the item itself and its row has changed.
        desk.api.publish(try snapshot("-Key", 3))
        #expect(desk.get("/changes?since=k3-2").text.contains(#""levels":["/levels/"],"details":["/detail/x"]"#))
    }
}
