import Bytes
import Foundation
import HTTPServer
import Levels
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// `q` and `in`: the items below a level that contain a text (manual, Search).
@Suite struct SearchTests {
    private static let items = #"""
        [{"Title":"Item 1","Children":[{"Title":"Screen A","Subtitle":"first","Children":["Screening","A screen"]},
        {"Title":"Empty"}]},{"Title":"Screen door","Tags":["Wood","Screen"]},"Sunscreen",{"Title":"x","Price":3}]
        """#

    private struct Page: Decodable {
        struct Row: Decodable { let title: String, href: String, trail: [String]? }
        struct Section: Decodable { let title: String?, start: Int, count: Int }
        let count: Int
        let start: Int?
        let rows: [Row]
        let sections: [Section]
        let next: String?
    }

    private static func page(_ desk: Desk, _ target: String) throws -> Page {
        let answer = desk.get(target)
        try #require(answer.status == 200, "\(target): \(answer.text)")
        return try JSONDecoder().decode(Page.self, from: Data(answer.body))
    }

    @Test(
        "The items below a level whose title contains the text are its hits, the best first",
        arguments: [
            ("q=screen", ["Screen A", "Screening", "Screen door", "A screen", "Sunscreen"]),
            ("q=screen&sort=", ["Screen A", "Screening", "A screen", "Screen door", "Sunscreen"]),
            ("q=screen&sort=-Title", ["Sunscreen", "Screening", "Screen door", "Screen A", "A screen"]),
            ("q=screen&in=Title", ["Screen A", "Screening", "A screen", "Screen door", "Sunscreen"]),
            ("q=screen&in=Tags", ["Screen door"]), ("in=Subtitle,Tags&q=r", ["Screen A", "Screen door"]),
            ("q=WOOD&in=*", ["Screen door"]), ("q=wood", []), ("q=3&in=*", []),
            ("q=screen&where=Title~door", ["Screen door"]), ("q=screen&start=3", ["A screen", "Sunscreen"]),
            (
                "q=e&group=initial",
                ["A screen", "Empty", "Item 1", "Screen A", "Screen door", "Screening", "Sunscreen"]
            ),
        ] as [(String, [String])])
    func hits(query: String, titles: [String]) throws {
        #expect(try Self.page(Desk(Self.items), "/levels/?" + query).rows.map(\.title) == titles)
    }

    @Test("A hit has the titles between the level and itself, and links to its place")
    func trail() throws {
        let desk = try Desk(Self.items)
        let rows = try Self.page(desk, "/levels/?q=screen").rows
        #expect(rows.map(\.trail) == [["Item 1"], ["Item 1", "Screen A"], [], ["Item 1", "Screen A"], []])
        #expect(rows[1].href == "/detail/Item%201/Screen%20A/Screening")
        #expect(try Self.page(desk, "/levels/Item%201?q=screen").rows.map(\.trail) == [[], ["Screen A"], ["Screen A"]])
        #expect(try Self.page(desk, "/levels/Sunscreen?q=screen").count == 0)
        let list = desk.get("/levels/?q=screening&format=plist").text.filter { $0 != "\n" && $0 != "\t" }
        #expect(list.contains("<string>/detail/Item%201/Screen%20A/Screening</string>"))
        #expect(list.contains("<key>trail</key><array><string>Item 1</string><string>Screen A</string></array>"))
    }

    @Test("Hits can be divided into sections")
    func sections() throws {
        let page = try Self.page(Desk(Self.items), "/levels/?q=screen&group=initial")
        #expect(page.sections.map { "\($0.title ?? "nil") \($0.start) \($0.count)" } == ["A 0 1", "S 1 4"])
        let one = try Self.page(Desk(Self.items), "/levels/?q=screen")
        #expect(one.sections.map { "\($0.title ?? "nil") \($0.start) \($0.count)" } == ["nil 0 5"])
    }

    @Test(
        "A search that makes no sense is refused, and the parameter named",
        arguments: [
            (
                "q=%CC%81",
                "'q' must contain a character that is compared, such as a letter or a digit, not '\u{301}'."
            ),
            ("in=Title", "'in' applies only to 'q'; add it, or omit 'in'."),
            (
                "q=a&in=a,,b",
                "'in' must be * or up to 256 names of fields with commas between them, as Title,Subtitle, not 'a,,b'."
            ),
            ("q=%FF", "The query part 'q=%FF' is not percent-encoded UTF-8."),
            (
                "q=a&since=AAAAAAAAAAAAAAAAAAAAAA",
                "'q' cannot be combined with 'since'; leave one of them out."
            ),
            ("q=a&q=b", "The parameter 'q' appears more than once; give it once."),
        ] as [(String, String)])
    func refused(query: String, detail: String) throws {
        let answer = try Desk(Self.items).get("/levels/?" + query)
        #expect(answer.status == 400)
        #expect(answer.text.contains(#""detail":"\#(detail)""#), "\(answer.text)")
    }

    @Test("An answer that is kept is not served after a change below the level")
    func changeBelow() throws {
        let desk = try Desk(Self.items)
        for _ in 0..<3 { #expect(try Self.page(desk, "/levels/?q=screening").count == 1) }
        desk.api.publish(
            Desk.snapshot(try Document.tree(Self.items.replacing("Screening", with: "Other")), revision: "k3-2"))
        #expect(try Self.page(desk, "/levels/?q=screening").count == 0)
    }

    @Test("Pages of hits that are kept begin anywhere, and go on after any row")
    func pages() throws {
        let rows = (0..<300).map { #"{"Title":"row \#($0)","Children":["row \#($0) below","other"]}"# }
        let desk = try Desk("[\(rows.joined(separator: ","))]")
        for query in ["q=row", "q=below", "q=1&sort=-Title", "q=o&in=Title", "q=2&group=initial"] {
            let whole = try Self.page(desk, "/levels/?\(query)&limit=10000").rows.map(\.href)
            var target: String? = "/levels/?\(query)&limit=37"
            var seen: [String] = []
            while let next = target {
                let page = try Self.page(desk, next)
                #expect(page.start == seen.count)
                seen += page.rows.map(\.href)
                target = page.next
            }
            #expect(seen == whole)
        }
    }

    @Test("A cursor that names no hit leads to the position at which its page began")
    func unknownCursor() throws {
        let rows = (0..<300).map { "\"row \($0)\"" }.joined(separator: ",")
        let desk = try Desk("[\(rows)]")
        for (number, first) in [(0, "row 0"), (7, "row 7"), (299, "row 299")] {
            var cursor = ByteBuffer()
            Version.word(UInt64(number), into: &cursor)
            Version.word(1, into: &cursor)
            let page = try Self.page(desk, "/levels/?q=row&after=\(String(utf8: cursor.span))")
            #expect(page.rows.first?.title == first)
        }
        for number in [300, UInt64(Int.max)] {
            var cursor = ByteBuffer()
            Version.word(number, into: &cursor)
            Version.word(1, into: &cursor)
            #expect(try Self.page(desk, "/levels/?q=row&after=\(String(utf8: cursor.span))").rows.isEmpty)
        }
    }

    @Test("The next page begins in the right place after hits came and went before it")
    func changedPages() throws {
        func document(_ numbers: some Sequence<Int>) throws -> Snapshot {
            let rows = numbers.map { #"{"Title":"row \#($0)","Children":["below \#($0)"]}"# }
            return Desk.snapshot(try Document.tree("[\(rows.joined(separator: ","))]"), revision: "k3-\(rows.count)")
        }
        let desk = try Desk(document(0..<400))
        let page = try Self.page(desk, "/levels/?q=below&limit=100")
        let next = try #require(page.next)
        // Before the end of the page 25 hits go, the last five among them, and 50 come.
        desk.api.publish(try document(Array(1_000..<1_050) + Array(0..<60) + Array(80..<95) + Array(100..<400)))
        #expect(try Self.page(desk, next).rows.first?.title == "below 100")
        // Rows that are remembered too are now where the last one was.
        desk.api.publish(try document(Array(1_000..<1_005) + Array(0..<400)))
        #expect(try Self.page(desk, next).rows.first?.title == "below 100")
        // Farther away than the first distance at which it is looked for.
        desk.api.publish(try document(Array(1_000..<2_000) + Array(0..<400)))
        #expect(try Self.page(desk, next).rows.first?.title == "below 100")
        desk.api.publish(try document(Array(0..<98) + Array(150..<380)))
        #expect(try Self.page(desk, next).rows.first?.title == "below 150")
    }
}
