import Foundation
import HTTPServer
import Testing

@testable import Levels
@testable import LevelsAPI
@testable import TestDocuments

/// Rows with the rows below them in one list: `depth` and `expand` (manual, Outlines).
@Suite("An outline") struct OutlineTests {
    private static let nested = #"""
        [{"Title":"a","Children":[{"Title":"b","Children":["c","d"]},"e"]},{"Title":"f/g,h","Children":["i"]},"j"]
        """#

    @Test(
        "shows the rows of the levels that are open",
        arguments: [
            ("depth=1", ["+a 0", "+f/g,h 0", "j 0"]), ("expand=", ["+a 0", "+f/g,h 0", "j 0"]),
            ("expand=,,", ["+a 0", "+f/g,h 0", "j 0"]),
            ("depth=2", ["-a 0", "+b 1", "e 1", "-f/g,h 0", "i 1", "j 0"]),
            ("depth=3", ["-a 0", "-b 1", "c 2", "d 2", "e 1", "-f/g,h 0", "i 1", "j 0"]),
            ("depth=all", ["-a 0", "-b 1", "c 2", "d 2", "e 1", "-f/g,h 0", "i 1", "j 0"]),
            ("depth=99999999999999999999", ["-a 0", "-b 1", "c 2", "d 2", "e 1", "-f/g,h 0", "i 1", "j 0"]),
            ("expand=a", ["-a 0", "+b 1", "e 1", "+f/g,h 0", "j 0"]),
            ("expand=a,a", ["-a 0", "+b 1", "e 1", "+f/g,h 0", "j 0"]),
            ("expand=a/b", ["-a 0", "-b 1", "c 2", "d 2", "e 1", "+f/g,h 0", "j 0"]),
            ("expand=a/b/c", ["-a 0", "-b 1", "c 2", "d 2", "e 1", "+f/g,h 0", "j 0"]),
            ("expand=a/e,j", ["-a 0", "+b 1", "e 1", "+f/g,h 0", "j 0"]),
            ("expand=f%252Fg%252Ch", ["+a 0", "-f/g,h 0", "i 1", "j 0"]),
            ("expand=f%252Fg%252Ch%2Ca", ["-a 0", "+b 1", "e 1", "-f/g,h 0", "i 1", "j 0"]),
            ("expand=f%2Fg%2Ch", ["+a 0", "+f/g,h 0", "j 0"]),
            ("expand=a/x", ["+a 0", "+f/g,h 0", "j 0"]), ("expand=a/b/c/d", ["+a 0", "+f/g,h 0", "j 0"]),
            ("expand=a/", ["+a 0", "+f/g,h 0", "j 0"]), ("expand=/a", ["+a 0", "+f/g,h 0", "j 0"]),
            ("expand=a//b", ["+a 0", "+f/g,h 0", "j 0"]),
            ("depth=2&expand=a/b", ["-a 0", "-b 1", "c 2", "d 2", "e 1", "-f/g,h 0", "i 1", "j 0"]),
            ("depth=2&start=4", ["i 1", "j 0"]), ("depth=2&start=1&limit=1", ["+b 1"]), ("depth=all&start=8", []),
        ] as [(String, [String])])
    func rows(query: String, rows: [String]) throws {
        let page = try Page(Desk(Self.nested).get("/levels/?" + query))
        #expect(page.rows.map(\.sketch) == rows)
    }

    @Test("finds the rows of two equal large levels in the order of the item above each")
    func equalLevels() throws {
        // Each row has more rows below it than the one before, so that the totals depend on the order.
        let rows = (10..<60).map { row in
            let below = (0..<row - 9).map { "\"c\($0)\"" }.joined(separator: ",")
            return #"{"Title":"r\#(row)","Children":[{"Title":"x","Children":[\#(below)]}]}"#
        }.joined(separator: ",")
        let orders = ["Title", "-Title", ""]
        let items = orders.enumerated().map {
            #"{"Title":"i\#($0)","SortBy":"\#($1)","Children":[\#(rows)]}"#
        }
        var expected: [String] = []
        for (number, order) in orders.enumerated() {
            expected.append("i\(number)")
            for row in order == "-Title" ? Array((10..<60).reversed()) : Array(10..<60) {
                expected += ["r\(row)", "x"]
                for child in 0..<row - 9 { expected.append("c\(child)") }
            }
        }
        let desk = try Desk("[\(items.joined(separator: ","))]")
        for start in stride(from: 0, to: expected.count, by: 97) {
            let page = try Page(desk.get("/levels/?depth=all&start=\(start)&limit=3"))
            #expect(
                page.rows.map { String($0.href.split(separator: "/").last ?? "") }
                    == Array(expected[start...].prefix(3)), "from \(start)")
        }
    }

    @Test("gives the place of each row, in one section without a title")
    func members() throws {
        let document = #"[[{"Title":"a","Tag":1,"Children":[["b"],["c"]]}],["d"]]"#
        #expect(
            try Desk(document).get("/levels/?depth=all&fields=").shape == """
                {"title":"Root","href":"/levels/","detail":"/detail/","version":"V","depth":0,"leaf":false,"ancestors":[],\
                "count":4,"sections":[{"title":null,"index":null,"start":0,"count":4}],"rows":[\
                {"key":"a","version":"v","title":"a","leaf":false,"count":2,"href":"/levels/a","fields":{},\
                "indent":0,"expanded":true,"first":true,"last":false},\
                {"key":"b","version":"v","title":"b","leaf":true,"count":0,"href":"/detail/a/b","fields":{},\
                "indent":1,"expanded":false,"first":true,"last":false},\
                {"key":"c","version":"v","title":"c","leaf":true,"count":0,"href":"/detail/a/c","fields":{},\
                "indent":1,"expanded":false,"first":false,"last":true},\
                {"key":"d","version":"v","title":"d","leaf":true,"count":0,"href":"/detail/d","fields":{},\
                "indent":0,"expanded":false,"first":false,"last":true}],"next":null,"after":null}
                """)
        let leaf = try Desk(document).get("/levels/d?depth=2")
        #expect(
            leaf.shape.contains(#""count":0,"sections":[{"title":null,"index":null,"start":0,"count":0}],"rows":[]"#))
    }

    @Test("shows of random documents the rows of a plain walk, page by page")
    func random() throws {
        for seed in 0..<30 as Range<UInt64> {
            var random = RandomDocument(seed: seed, seed < 20 ? .binary : [.binary, .orders])
            let snapshot = Desk.snapshot(try random.document().tree())
            let root = Item(rootOf: snapshot.document)
            let desk = Desk(snapshot)
            let all = PlainOutline.paths(below: root.level)
            for depth in [0, 1, 2, 3, 9] {
                let paths = all.filter { _ in random.generator.one(in: 6) }.prefix(40)
                let plain = PlainOutline(below: root.own, depth: max(depth, 1), paths: Array(paths))
                let named = "expand=" + PlainOutline.encoded(paths.joined(separator: ","))
                let query = depth == 0 ? named : "depth=\(depth == 9 ? "all" : "\(depth)")&" + named
                let limit = 1 + random.generator.below(40)
                var shown: [PlainOutline.Row] = []
                var target: String? = "/levels/?limit=\(limit)&fields=&" + query
                while let next = target {
                    let page = try Page(desk.get(next))
                    #expect(page.count == plain.rows.count && page.start == shown.count, "seed \(seed)")
                    shown += page.rows.map(\.plain)
                    target = page.next
                }
                #expect(shown == plain.rows, "seed \(seed), \(query)")
                let start = random.generator.below(plain.rows.count + 1)
                let page = try Page(desk.get("/levels/?fields=&start=\(start)&limit=5&" + query))
                #expect(page.rows.map(\.plain) == Array(plain.rows.dropFirst(start).prefix(5)), "seed \(seed)")
            }
        }
    }

    @Test(
        "misses and repeats no row that stays while others come, go and move between its pages",
        arguments: [false, true])
    func changing(isOrdered: Bool) throws {
        for seed in 0..<8 as Range<UInt64> {
            var changing = ChangingItems(seed: seed, isOrdered: isOrdered)
            let open = changing.paths.filter { _ in changing.generator.one(in: 4) }.joined(separator: ",")
            let query = ["depth=all", "depth=2", "depth=2&expand=\(open)", "expand=\(open)"][Int(seed % 4)]
            var staying = try Page(Desk(changing.document).get("/levels/?limit=10000&\(query)")).rows
                .map { String($0.href.dropFirst(8)) }
            var seen: [String] = []
            var shown = Set(staying)
            var target: String? = "/levels/?limit=\(2 + changing.generator.below(9))&\(query)"
            while let next = target {
                let desk = try Desk(changing.document)
                let page = try Page(desk.get(next))
                seen += page.rows.map { String($0.href.dropFirst(8)) }
                shown.formIntersection(
                    try Page(desk.get("/levels/?limit=10000&\(query)")).rows.map { String($0.href.dropFirst(8)) })
                target = page.next
                changing.change()
            }
            shown = shown.filter(changing.isInPlace)
            staying.removeAll { !shown.contains($0) }
            #expect(seen.filter(shown.contains) == staying, "seed \(seed), \(query)")
        }
    }

    @Test("is counted alike whether or not totals are kept, and they stay within their budget")
    func totals() throws {
        let wide = (0..<40).map { one in
            let rows = (0..<40).map { #"{"Title":"\#($0)","Children":["x",{"Title":"y","Children":["z"]}]}"# }
            return #"{"Title":"\#(one)","Children":[\#(rows.joined(separator: ","))]}"#
        }
        let step = Item(rootOf: try Document.tree("[\(wide.joined(separator: ","))]").document).own
        let kept = ArrangementCache(bytes: 2 << 20)
        for depth in 1...6 {
            var opening = OutlineOpening()
            opening.depth = depth
            opening.paths = [try ItemPath("7/7/y".utf8Span.span)]
            let expected = PlainOutline(below: step, depth: depth, paths: ["7/7/y"]).rows.count
            for store in [kept, kept, ArrangementCache(bytes: 0)] {
                #expect(OutlineRows(below: step, opening: opening, store: store).count == expected, "\(depth)")
            }
        }
        #expect((1...1 << 20).contains(kept.outlineCost))
        let small = ArrangementCache(bytes: 4_000)
        for depth in 2...5 {
            var opening = OutlineOpening()
            opening.depth = depth
            let outline = OutlineRows(below: step, opening: opening, store: small)
            for start in stride(from: 0, to: outline.count, by: 97) { _ = outline.listing(of: start..<start + 1) }
            #expect(small.outlineCost <= 2_000)
        }
    }

    @Test("shows each level in the order that its item gives it")
    func orders() throws {
        let rows = #"["z",{"Title":"a","Price":1,"GroupBy":"initial","Children":["y","7","b"]},{"Title":"c","Price":2,"#
        let below =
            #""SortBy":"Tag","Children":[{"Title":"d","Tag":2},"e",{"Title":"f","Tag":1,"Children":["h","g"]}]}]"#
        let desk = try Desk(#"{"SortBy":"-Price","Rows":\#(rows)\#(below)}"#)
        let pages = [
            "depth=1": ["+c 0 first", "+a 0", "z 0 last"],
            "expand=c/f": [
                "-c 0 first", "-f 1 first", "h 2 first", "g 2 last", "d 1", "e 1 last", "+a 0", "z 0 last",
            ],
            "depth=2": [
                "-c 0 first", "+f 1 first", "d 1", "e 1 last", "-a 0", "b 1 first", "y 1", "7 1 last", "z 0 last",
            ],
        ]
        for (query, rows) in pages {
            let page = try Page(desk.get("/levels/?" + query))
            #expect(page.rows.map { $0.sketch + ($0.first ? " first" : "") + ($0.last ? " last" : "") } == rows)
            for start in rows.indices {
                let row = try Page(desk.get("/levels/?\(query)&start=\(start)&limit=1")).rows
                #expect(row.map(\.title) == [page.rows[start].title])
            }
        }
        let outline = desk.get("/levels/a?depth=all").text
        #expect(outline.contains(#""sections":[{"title":null,"index":null,"start":0,"count":3}]"#))
    }

    @Test(
        "counts the rows to sort for a place level by level, and stops at the level that exceeds the limit",
        arguments: [(0, 3), (2, 3), (3, 7), (6, 7), (7, 9), (8, 9), (9, 9)])
    func work(limit: Int, work: Int) throws {
        let lowest = #"{"Title":"b","SortBy":"Title","Children":["z","y"]}"#
        let middle = #"{"Title":"a","SortBy":"Title","Children":["4","3",\#(lowest),"1"]}"#
        let document = try Document.tree(#"{"SortBy":"-Title","Rows":["1",\#(middle),"2"]}"#).document
        var opening = OutlineOpening()
        opening.depth = OutlineOpening.all
        let outline = OutlineRows(
            below: Item(rootOf: document).own, opening: opening, store: ArrangementCache(bytes: 0))
        let last = OutlinePlace(at: 5, in: outline.listing(of: 0..<outline.count))
        #expect(outline.work(at: 5, limit: limit) == work)
        #expect(outline.work(after: last, limit: limit) == work)
    }

    @Test("goes on after the last row when a level has another order now")
    func otherOrders() throws {
        func document(_ order: String) -> String {
            #"[{"Title":"a",\#(order)"Children":["m","n","o","p"]},"z"]"#
        }
        let orders = ["", #""SortBy":"-Title","#, #""GroupBy":"Title","#]
        for order in orders {
            let page = try Page(Desk(document(order)).get("/levels/?depth=2&limit=3"))
            let (last, next) = (try #require(page.rows.last?.title), try #require(page.next))
            for other in orders {
                let desk = try Desk(document(other))
                let all = try Page(desk.get("/levels/?depth=2")).rows.map(\.title)
                let rest = try Page(desk.get(next)).rows.map(\.title)
                #expect(rest == Array(all.drop { $0 != last }.dropFirst().prefix(3)), "\(order) to \(other)")
            }
        }
    }

    @Test(
        "has short cursors, however deep the row is and whatever its levels are sorted by",
        arguments: [1, 2, 5, 9, 33, 200, 500])
    func deepCursors(depth: Int) throws {
        let title = String(repeating: "long ", count: 100)
        var rows = #"["\#(title)a","\#(title)b","\#(title)c","\#(title)d"]"#
        for _ in 1..<depth { rows = #"["0",{"Title":"1","SortBy":"-Title","Children":\#(rows)}]"# }
        let desk = try Desk(#"{"SortBy":"-Title","Rows":\#(rows)}"#)
        let page = try Page(desk.get("/levels/?depth=all&limit=\(depth + 1)"))
        let next = try #require(page.next)
        #expect(page.count == 2 * depth + 2)
        #expect(page.rows.last?.title == title + "c")
        #expect(next.utf8.count < 2_500 + depth * 46)
        let rest = try Page(desk.get(next)).rows
        #expect(rest.prefix(2).map(\.title) == [title + "b", title + "a"])
    }

    @Test("is answered anew when something changes below its level, and only then")
    func cached() throws {
        func tree(_ title: String, _ text: String) throws -> Tree {
            try Document.tree(
                #"[{"Title":"a","Children":[{"Title":"b","Children":["\#(title)"]}]},{"Title":"z","Text":"\#(text)"}]"#)
        }
        let desk = Desk(Desk.snapshot(try tree("c", "1"), revision: "k3-1"))
        let target = "/levels/a?depth=all"
        let answers = (0..<3).map { _ in desk.get(target) }
        #expect(Set(answers.map(\.text)).count == 1)
        desk.api.publish(Desk.snapshot(try tree("c", "2"), revision: "k3-2"))
        #expect(desk.get(target) == answers[0])
        desk.api.publish(Desk.snapshot(try tree("d", "2"), revision: "k3-3"))
        let changed = desk.get(target)
        #expect(changed.entityTag != answers[0].entityTag)
        #expect(try Page(changed).rows.map(\.title) == ["b", "d"])
        let waiting = desk.api.respond(
            to: .init(target: target + "&wait=30", fields: [("If-None-Match", changed.entityTag)]))
        let waiter = try #require(waiting.waiter)
        desk.api.publish(Desk.snapshot(try tree("d", "3"), revision: "k3-4"))
        #expect(waiter.response == nil)
        desk.api.publish(Desk.snapshot(try tree("e", "3"), revision: "k3-5"))
        let woken = try #require(waiter.response)
        #expect(try Page(Answer(woken)).rows.map(\.title) == ["b", "e"])
    }

    @Test(
        "is refused by name if it makes no sense",
        arguments: [
            ("depth=0", "depth", "'depth' must be a whole number from 1, or all, not '0'."),
            ("depth=-1", "depth", "'depth' must be a whole number from 1, or all, not '-1'."),
            ("depth=", "depth", "'depth' must be a whole number from 1, or all, not ''."),
            ("depth=1.5", "depth", "'depth' must be a whole number from 1, or all, not '1.5'."),
            ("depth=ALL", "depth", "'depth' must be a whole number from 1, or all, not 'ALL'."),
            ("depth=%2B2", "depth", "'depth' must be a whole number from 1, or all, not '+2'."),
            ("depth=1&depth=2", "depth", "The parameter 'depth' appears more than once; give it once."),
            ("depth=all&sort=", "depth", "'depth' cannot be combined with 'sort'; leave one of them out."),
            ("group=&expand=", "expand", "'expand' cannot be combined with 'group'; leave one of them out."),
            ("where=a:b&depth=1", "depth", "'depth' cannot be combined with 'where'; leave one of them out."),
            ("since=x&expand=a", "expand", "'expand' cannot be combined with 'since'; leave one of them out."),
            ("expand=%25GG", "expand", "'expand' must be paths of percent-encoded UTF-8, not '%GG'."),
            ("expand=a/b%252,c", "expand", "'expand' must be paths of percent-encoded UTF-8, not 'b%2'."),
            ("expand=a,%25FF/", "expand", "'expand' must be paths of percent-encoded UTF-8, not '%FF'."),
            ("depth=2&start=7", "start", "'start' must be a whole number from 0 to 6, the number of rows."),
            (
                "depth=2&start=1&after=AAAAAAAAAAACGFzVdNPqhVY", "start",
                "'start' cannot be combined with 'after'; leave one of them out."
            ),
            (
                "depth=2&after=_AAAAAAAAAAA", "after",
                "'_AAAAAAAAAAA' is not a cursor; follow the link 'next' of a page."
            ),
            ("depth=2&after=_", "after", "'_' is not a cursor; follow the link 'next' of a page."),
            (
                "depth=2&after=_AAAAAAAAAAB__________________", "after",
                "'_AAAAAAAAAAB__________________' is not a cursor; follow the link 'next' of a page."
            ),
        ] as [(String, String, String)])
    func refused(query: String, parameter: String, detail: String) throws {
        let answer = try Desk(Self.nested).get("/levels/?" + query)
        #expect(answer.status == 400)
        #expect(answer.line.contains(#""detail":"\#(detail)""#), "\(answer.line)")
        #expect(answer.line.hasSuffix(#""parameter":"\#(parameter)"}"#), "\(answer.line)")
    }

    @Test("has its own cursors, and refuses the cursors of other lists")
    func cursors() throws {
        let desk = try Desk(Self.nested)
        let outline = try #require(try Page(desk.get("/levels/?depth=2&limit=2")).next)
        let plain = try #require(
            desk.get("/levels/?limit=2").line.firstMatch(of: /"next":"([^"]+)"/)?.1
        ).description
        let wrong = desk.get(outline.replacing("depth=2&", with: ""))
        #expect(
            wrong.line.contains("The cursor belongs to an outline; follow the link 'next' of a page of this list."))
        #expect(
            desk.get(plain + "&depth=2").line.contains(
                "The cursor belongs to a list that is not an outline; follow the link 'next' of a page of this list."))
        #expect(try Page(desk.get(outline)).rows.map(\.title) == ["e", "f/g,h"])
    }

    /// The parts of an answer that show its rows.
    private struct Page: Decodable {
        struct Row: Decodable {
            let title: String, href: String, leaf: Bool, indent: Int, expanded: Bool, first: Bool, last: Bool

            /// `-` for an expanded row, `+` for another one with rows below it; the title; the indent.
            var sketch: String { (expanded ? "-" : leaf ? "" : "+") + "\(title) \(indent)" }

            var plain: PlainOutline.Row {
                PlainOutline.Row(href: href, indent: indent, isExpanded: expanded, isFirst: first, isLast: last)
            }
        }
        let count: Int
        let start: Int?
        let rows: [Row]
        let next: String?

        init(_ answer: Answer) throws { self = try JSONDecoder().decode(Page.self, from: Data(answer.text.utf8)) }
    }
}
