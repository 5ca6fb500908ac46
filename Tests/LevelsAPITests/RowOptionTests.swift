import Foundation
import HTTPServer
import Testing

@testable import Levels
@testable import LevelsAPI
@testable import TestDocuments

/// The query options that choose, order and divide rows, and the row at which a page begins (manual, Levels).
@Suite struct RowOptionTests {
    private static let fruits = #"""
        [{"Title":"Pear","Price":3,"Kind":"fruit"},{"Title":"apple","Price":10,"Kind":"fruit"},
        {"Title":"Äpfel","Price":2},{"Title":"Leek","Price":3,"Kind":"vegetable"},{"Title":"7up"}]
        """#

    private func titles(_ query: String) throws -> [String] {
        let page = try Page(Desk(Self.fruits).get("/levels/?" + query))
        return page.titles
    }

    @Test(
        "The rows of a level are chosen and ordered",
        arguments: [
            ("sort=Title", ["7up", "Äpfel", "apple", "Leek", "Pear"]),
            ("sort=-Title", ["Pear", "Leek", "apple", "Äpfel", "7up"]),
            ("sort=Price", ["Äpfel", "Pear", "Leek", "apple", "7up"]),
            ("sort=-Price,Title", ["apple", "Leek", "Pear", "Äpfel", "7up"]),
            ("sort=", ["Pear", "apple", "Äpfel", "Leek", "7up"]),
            ("where=Price%3C10", ["Pear", "Äpfel", "Leek"]),
            ("where=Price%3C10&where=Kind:fruit", ["Pear"]),
            ("where=Title~PFEL", ["Äpfel"]),
            ("where=Kind:none", []), ("where=Kind!vegetable&where=Price!3", ["apple", "Äpfel", "7up"]),
            ("where=Price:3&sort=Title", ["Leek", "Pear"]),
            ("where=Price%3C=3", ["Pear", "Äpfel", "Leek"]), ("where=Price%3E=3", ["Pear", "apple", "Leek"]),
            ("where=!Kind", ["Äpfel", "7up"]), ("where=Price&where=!Kind", ["Äpfel"]),
            ("where=Kind!~ui", ["Äpfel", "Leek", "7up"]),
            ("any=Price:2&any=Price:10", ["apple", "Äpfel"]), ("any=Kind:vegetable&any=!Price", ["Leek", "7up"]),
            ("any=Price:3&any=Price%3E5&where=Kind:fruit&sort=Title", ["apple", "Pear"]), ("any=Kind:none", []),
            ("sort=Title&start=3", ["Leek", "Pear"]),
            ("start=5", []), ("start=1&limit=2", ["apple", "Äpfel"]),
        ] as [(String, [String])])
    func rows(query: String, titles: [String]) throws { #expect(try self.titles(query) == titles) }

    @Test(
        "Sections divide the rows that are left",
        arguments: [
            ("group=initial", ["A 0 2", "L 2 1", "P 3 1", "# 4 1"]),
            ("group=initial&sort=-Title", ["A 0 2", "L 2 1", "P 3 1", "# 4 1"]),
            ("group=Kind", ["fruit 0 2", "vegetable 2 1", "nil 3 2"]),
            ("group=Kind&sort=Title", ["fruit 0 2", "vegetable 2 1", "nil 3 2"]),
            ("group=Kind&where=Price:3", ["fruit 0 1", "vegetable 1 1"]),
            ("group=Kind&where=Price:99", ["nil 0 0"]), ("group=", ["nil 0 5"]), ("sort=Price", ["nil 0 5"]),
            ("group=initial&sections=page", ["A 0 2", "L 2 1", "P 3 1", "# 4 1"]),
            ("group=initial&sections=page&limit=1&start=1", ["A 0 2"]),
            ("group=initial&sections=all&limit=1&start=1", ["A 0 2", "L 2 1", "P 3 1", "# 4 1"]),
            ("group=initial&sections=page&limit=2&start=2", ["L 2 1", "P 3 1"]),
            ("group=initial&sections=page&start=5", ["# 4 1"]),
            ("group=Kind&where=Price:99&sections=page", ["nil 0 0"]),
            ("group=initial&sections=4&limit=1&start=1", ["A 0 2", "L 2 1", "P 3 1", "# 4 1"]),
            ("group=initial&sections=3&limit=1&start=1", ["A 0 2"]), ("group=Kind&sections=2&start=5", ["nil 3 2"]),
            ("sort=Price&sections=1", ["nil 0 5"]), ("where=Kind:none&sections=1", ["nil 0 0"]),
        ] as [(String, [String])])
    func sections(query: String, sections: [String]) throws {
        let page = try Page(Desk(Self.fruits).get("/levels/?" + query))
        #expect(page.sections.map { "\($0.title ?? "nil") \($0.start) \($0.count)" } == sections)
    }

    @Test(
        "The number of sections is in the answer only if a number left some out",
        arguments: [
            ("group=initial", nil), ("group=initial&sections=page&limit=1", nil), ("group=initial&sections=4", nil),
            ("group=initial&sections=3", 4), ("group=Kind&sections=1", 3), ("sections=1", nil),
        ] as [(String, Int?)])
    func sectionCount(query: String, count: Int?) throws {
        #expect(try Page(Desk(Self.fruits).get("/levels/?" + query)).sectionCount == count)
    }

    @Test(
        "A name with dots is a path through dictionaries, unless the row has the name as it stands",
        arguments: [
            ("sort=at.n", ["c", "a", "b", "d"]), ("sort=-at.n", ["b", "a", "c", "d"]), ("where=at.n:2", ["a"]),
            ("where=!at.n", ["d"]), ("any=at.n:1&any=at.more.m", ["b", "c"]), ("where=at.more.m:x", ["b"]),
            ("where=at", ["b", "c", "d"]), ("where=at.", []), ("where=.", []), ("where=at.n.", []),
            ("where=at.more", ["b", "d"]),
            ("group=at.n", ["a", "b", "c", "d"]), ("q=X&in=at.more.m", ["b"]), ("q=y&in=at.more.m,at.tags", ["c"]),
        ])
    func paths(query: String, titles: [String]) throws {
        #expect(try Page(Desk(Self.nested).get("/levels/?" + query)).titles == titles)
    }

    private static let nested = #"""
        [{"Title":"a","at.n":2},{"Title":"b","at":{"n":3,"more":{"m":"x"}}},
        {"Title":"c","at":{"n":1,"tags":["y"]},"at.more.m":1},{"Title":"d","at":{"more":"x"}}]
        """#

    @Test("A field at a path is shown with the name that was asked for, and all fields are in the order of the query")
    func shownPaths() throws {
        let text = try Desk(Self.nested).get("/levels/?fields=Title,at.more,at.n,at.no").text
        let fields = text.matches(of: /"fields":(\{.*?\})[,}]/).map { String($0.output.1) }
        #expect(
            fields == [
                #"{"Title":"a","at.n":2}"#, #"{"Title":"b","at.more":{"m":"x"}"#,
                #"{"Title":"c","at.n":1}"#,
                #"{"Title":"d","at.more":"x"}"#,
            ])
    }

    @Test("Sections by a path have the texts at the path as titles")
    func pathSections() throws {
        let page = try Page(Desk(Self.nested).get("/levels/?group=at.n"))
        #expect(
            page.sections.map { "\($0.title ?? "nil") \($0.start) \($0.count)" } == [
                "2 0 1", "3 1 1", "1 2 1", "nil 3 1",
            ])
    }

    @Test("A condition leaves the level's own sections, except empty ones")
    func ownSections() throws {
        let desk = try Desk(#"[["a","b"],["b"],["c","ab"]]"#)
        let page = try Page(desk.get("/levels/?where=Title~a"))
        #expect(page.titles == ["a", "ab"])
        #expect(page.sections.map { [$0.start, $0.count] } == [[0, 1], [1, 1]])
    }

    @Test("An arrangement that is kept serves all pages, and no other query or level")
    func kept() throws {
        let rows = (0..<600).map { #"{"Title":"row \#($0)","N":\#($0 * 7 % 600)}"# }.joined(separator: ",")
        let desk = try Desk("[\(rows)]")
        for _ in 0..<2 {
            for (query, first) in [("sort=N", 0), ("sort=-N", 257), ("where=N%3E300&sort=N", 43)] {
                let page = try Page(desk.get("/levels/?\(query)&limit=5"))
                #expect(page.titles.first == "row \(first)", "\(query)")
                let next = try Page(desk.get(try #require(page.next)))
                #expect(next.start == 5)
                #expect(Set(next.titles).isDisjoint(with: page.titles))
            }
        }
        desk.api.publish(
            Desk.snapshot(try Document.tree("[\(rows.replacing("row 0\"", with: "new\""))]"), revision: "k3-2"))
        #expect(try Page(desk.get("/levels/?sort=N&limit=1")).titles == ["new"])
    }

    @Test("Arrangements are kept within the budget, with the options that made them")
    func budget() throws {
        let rows = (0..<300).map { "\"row \($0)\"" }.joined(separator: ",")
        let root = Item(rootOf: try Document.tree("[\(rows)]").document).own
        let cache = ArrangementCache(bytes: 100_000)
        for number in 0..<100 {
            let text = "where=Title:\(number)" + String(repeating: "x", count: 8_000)
            let query = try Query(text: text.utf8Span.span, options: .level)
            var values = QueryValues()
            try query.readAnswer(into: &values)
            #expect(cache.listing(below: root, query: values.rows).count == 0)
            #expect(cache.cost <= 100_000)
        }
        #expect(cache.cost > 8_000)
    }

    @Test(
        "A value that makes no sense is refused, and the parameter named",
        arguments: [
            ("sort=a,,b", "'sort' must be names of fields with commas between them, as -Price,Title, not 'a,,b'."),
            ("sort=-", "'sort' must be names of fields with commas between them, as -Price,Title, not '-'."),
            (
                "sort=Price:desc",
                "'sort' gives the direction by '-' before a name; write '-Price' instead of 'Price:desc'."
            ),
            (
                "sort=Title,-Price%20DESC",
                "'sort' gives the direction by '-' before a name; write '-Price' instead of '-Price DESC'."
            ),
            (
                "sort=Price%20asc",
                "'sort' gives the direction by '-' before a name; write 'Price' instead of 'Price asc'."
            ),
            ("sort=\((1...17).map(String.init).joined(separator: ","))", "'sort' must name at most 16 fields, not 17."),
            (
                "where=:5",
                "'where' must be a condition with the name of a field, as Price<10, Title~tea, Price or !Price, not ':5'."
            ),
            (
                "any=!Price:5",
                "'any' must be a condition with the name of a field, as Price<10, Title~tea, Price or !Price, not '!Price:5'."
            ),
            (Array(repeating: "any=Price", count: 17).joined(separator: "&"), "'any' must be given at most 16 times."),
            (
                Array(repeating: "where=Price:3", count: 17).joined(separator: "&"),
                "'where' must be given at most 16 times."
            ),
            ("sections=0", "'sections' must be all, page or a whole number from 1 to 10000, not '0'."),
            ("sections=10001", "'sections' must be all, page or a whole number from 1 to 10000, not '10001'."),
            ("sections=", "'sections' must be all, page or a whole number from 1 to 10000, not ''."),
            ("start=x", "'start' must be a whole number from 0 to the number of rows, not 'x'."),
            ("start=6", "'start' must be a whole number from 0 to 5, the number of rows."),
            ("where=Price:3&start=3", "'start' must be a whole number from 0 to 2, the number of rows."),
            ("start=1&after=AAAAAAAAAACGFzVdNPqhVY", "'start' cannot be combined with 'after'; leave one of them out."),
            ("sort=a&sort=b", "The parameter 'sort' appears more than once; give it once."),
        ] as [(String, String)])
    func refused(query: String, detail: String) throws {
        let answer = try Desk(Self.fruits).get("/levels/?" + query)
        #expect(answer.status == 400)
        #expect(answer.text.contains(#""detail":"\#(detail)""#), "\(answer.text)")
    }

    /// The parts of a level's answer that show its rows.
    private struct Page: Decodable {
        struct Section: Decodable { let title: String?, start: Int, count: Int }
        struct Row: Decodable { let title: String }
        let sectionCount: Int?
        let sections: [Section]
        let rows: [Row]
        let start: Int?
        let next: String?
        var titles: [String] { rows.map(\.title) }

        init(_ answer: Answer) throws {
            self = try JSONDecoder().decode(Page.self, from: Data(answer.text.utf8))
        }
    }
}
