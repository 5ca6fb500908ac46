import Foundation
import Levels
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// The hits of searches in random tables in every order, page by page, against plain arrays.
@Suite("Hits in an order") struct OrderedHitTests {
    private typealias Page = OrderedRowTests.Page

    @Test("show on all pages together the rows of plain arrays", arguments: RandomRounds.first(40 as UInt64))
    func pages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let table = PlainTable(rows: generator.below(60), using: &generator)
        let query = PlainTableQuery.randomSearch(using: &generator)
        let expected = query.sections(of: table)
        let desk = try Desk(table.documentInFolders())
        var seen: [String] = []
        var next: String? = "/levels/?limit=\(1 + generator.below(12))&\(query)"
        while let target = next {
            let page = try Page(desk, target)
            #expect(page.start == seen.count, "\(query), seed \(seed)")
            #expect(page.sections == OrderedRowTests.sections(expected), "\(query), seed \(seed)")
            seen += page.rows.map(\.title)
            next = page.next
        }
        #expect(seen == expected.flatMap(\.rows).map(\.title), "\(query), seed \(seed)")
    }

    @Test(
        "come once if they are there throughout, while others come, go and change between the pages",
        arguments: 0..<16 as Range<UInt64>)
    func changingPages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var table = PlainTable(rows: 20 + generator.below(60), using: &generator)
        let query = PlainTableQuery.randomSearch(using: &generator)
        var touched: Set<String> = []
        var seen: [String] = []
        var titles: [[String?]] = []
        var next: String? = "/levels/?limit=\(1 + generator.below(8))&\(query)"
        while let target = next, titles.count < 200 {
            titles.append(query.sections(of: table).map(\.title))
            let page = try Page(Desk(table.documentInFolders()), target)
            seen += page.rows.map(\.title)
            next = page.next
            touched.formUnion(OrderedRowTests.change(&table, around: seen.last, using: &generator))
        }
        #expect(next == nil, "\(query), seed \(seed): the pages end")
        titles.append(query.sections(of: table).map(\.title))
        guard OrderedRowTests.areInOneOrder(titles) else { return }
        let staying = query.sections(of: table).flatMap(\.rows).map(\.title).filter { !touched.contains($0) }
        #expect(seen.filter(staying.contains) == staying, "\(query), seed \(seed)")
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
