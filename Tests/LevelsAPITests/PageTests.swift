import Foundation
import HTTPServer
import Levels
import Testing

@testable import Bytes
@testable import LevelsAPI
@testable import TestDocuments

/// Pages of a level (manual, Levels).
@Suite struct PageTests {
    @Test("A page has its start, the whole count and all sections, and links to the next")
    func page() throws {
        let desk = try Desk(#"[["a","b"],["c"]]"#)
        let first = desk.get("/levels/?limit=2")
        let next = try #require(try next(of: first))
        #expect(next.wholeMatch(of: /\/levels\/\?limit=2&after=[A-Za-z0-9_-]+/) != nil)
        #expect(
            first.shape == """
                {"title":"Root","href":"/levels/","detail":"/detail/","version":"V","depth":0,"leaf":false,"ancestors":[],\
                "count":3,"start":0,"sections":[{"title":null,"index":null,"start":0,"count":2},\
                {"title":null,"index":null,"start":2,"count":1}],\
                "rows":[{"key":"a","version":"v","title":"a","leaf":true,"count":0,"href":"/detail/a","fields":{}},\
                {"key":"b","version":"v","title":"b","leaf":true,"count":0,"href":"/detail/b","fields":{}}],"previous":null,"next":"\(next)",\
                "after":"\(next.dropFirst("/levels/?limit=2&after=".count))"}
                """)
        #expect(first.header("Link") == "<\(next)>; rel=\"next\"")
        let last = desk.get(next)
        #expect(
            last.shape.hasSuffix(
                #""href":"/detail/c","fields":{}}],"previous":"/levels/?limit=2&start=0","next":null,"after":null}"#))
        #expect(
            last.shape.contains(#""count":3,"start":2,"sections":[{"title":null,"index":null,"start":0,"count":2},"#))
        #expect(last.header("Link") == nil)
    }

    @Test("Without a limit a page has a thousand rows, and the last is marked by no link")
    func defaultLimit() throws {
        let titles = (0..<2_500).map { "row \($0)" }
        let desk = try Desk(json(titles))
        var sizes: [Int] = []
        #expect(try walk(desk, from: "/levels/") { sizes.append($0.count) } == titles)
        #expect(sizes == [1_000, 1_000, 500])
        let exact = try Desk(json(Array(titles.prefix(1_000)))).get("/levels/")
        #expect(exact.shape.hasSuffix(#""next":null,"after":null}"#))
        #expect(!exact.text.contains(#""start":0,"sections""#))
    }

    @Test("All pages together are all rows, whatever the limit", arguments: [1, 2, 7, 16, 99, 100, 101, 10_000])
    func walkAll(_ limit: Int) throws {
        let titles = (0..<100).map { "row \($0 % 30)" }
        let desk = try Desk(json(titles))
        var pages = 0
        #expect(try walk(desk, from: "/levels/?limit=\(limit)") { _ in pages += 1 } == titles)
        #expect(pages == (100 + limit - 1) / limit)
    }

    @Test(
        "A page after rows that are all deleted begins where they were",
        arguments: [
            // All rows before the place are remembered: the next page begins with what followed them.
            ("limit=8", 0..<8, 8), ("limit=7", 0..<7, 7), ("limit=7&sort=Kind", 0..<7, 7),
            // A ninth one may be before it: as many rows as are remembered are certain to be gone.
            ("limit=9", 1..<9, 9), ("limit=9", 1..<8, 9), ("limit=20", 12..<20, 20),
            ("limit=20&sort=Kind", 12..<20, 20),
            ("limit=20&group=Kind", 12..<20, 20), ("limit=20&q=row", 12..<20, 20),
            // Nobody knows of the ninth and tenth.
            ("limit=20", 10..<20, 22),
        ])
    func deletedRows(_ query: String, _ deleted: Range<Int>, _ expected: Int) throws {
        func snapshot(_ numbers: [Int], _ revision: String) throws -> Snapshot {
            let rows = numbers.map { #"{"Title":"row \#($0)","Kind":"k"}"# }.joined(separator: ",")
            return Desk.snapshot(try Document.tree("[\(rows)]"), revision: revision)
        }
        let desk = Desk(try snapshot(Array(0..<30), "k3-1"))
        let next = try #require(try next(of: desk.get("/levels/?\(query)")))
        desk.api.publish(try snapshot((0..<30).filter { !deleted.contains($0) }, "k3-2"))
        let rows = try walk(desk, from: next) { _ in }
        #expect(rows.first == "row \(expected)")
    }

    @Test("The next page's link keeps the options of the request, encoded and in one order")
    func nextKeepsQuery() throws {
        let desk = try Desk(#"[{"Title":"a","A b":1,"é":2},"b"]"#)
        let first = desk.get("/levels/?fields=A+b,%C3%A9&format=json&limit=1")
        let next = try #require(try next(of: first))
        #expect(next.hasPrefix("/levels/?limit=1&fields=A%20b%2C%C3%A9&after="))
        #expect(first.shape.contains(#""fields":{"A b":1,"é":2}"#))
        #expect(desk.get(next).shape.contains(#""key":"b""#))
    }

    @Test("A link that is longer than 2 KiB is in the body alone")
    func longLink() throws {
        let desk = try Desk(json(["a", "b"]))
        func page(_ length: Int) throws -> (answer: Answer, next: String) {
            let answer = desk.get("/levels/?limit=1&fields=\(String(repeating: "x", count: length))")
            return (answer, try #require(try next(of: answer)))
        }
        let rest = try page(0).next.utf8.count
        let (shown, longest) = try page(2_048 - rest)
        #expect(shown.header("Link") == "<\(longest)>; rel=\"next\"")
        for length in [2_049 - rest, 12_000] {
            let (answer, next) = try page(length)
            #expect(next.utf8.count == rest + length)
            #expect(answer.headers == answer.taggedHeaders())
            #expect(try rows(of: desk.get(next)) == ["b"])
        }
    }

    @Test("No header line grows with the request")
    func headerLines() throws {
        let long = String(repeating: "x", count: 8_000)
        let desk = try Desk(json(["a"])) { $0.allowedOrigins = try AllowedOrigins("https://a.example") }
        let fields = [
            ("Origin", "https://a.example"), ("Access-Control-Request-Method", long),
            ("Access-Control-Request-Headers", long), ("Prefer", "wait=1, \(long)"), ("Accept", long),
            ("Accept-Encoding", long), ("Cookie", long),
        ]
        for target in [
            "/levels/?fields=\(long)", "/levels/\(long)", "/\(long)", "/levels/?\(long)", "/changes?since=\(long)",
        ] {
            for method in [HTTPServer.Method.get, .head, .options, .post] {
                let answer = desk.ask(method, target, fields)
                #expect(answer.headers.map(\.utf8.count).reduce(0, +) < 600, "\(method) \(target.prefix(12))")
            }
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rows: [Int]
        let expected: Int
        init(_ name: String, _ rows: [Int], goesOnAt expected: Int) {
            testDescription = name
            self.rows = rows
            self.expected = expected
        }
    }

    private static let twenty = Array(0..<20)

    @Test(
        "A cursor goes on in the right place of a list that has changed",
        arguments: [
            Change("not at all", twenty, goesOnAt: 10),
            Change("a row before it inserted", [100] + twenty, goesOnAt: 10),
            Change("three rows before it inserted", [100, 101] + twenty[..<5] + [102] + twenty[5...], goesOnAt: 10),
            Change(
                "a row just before it inserted, which is shown", twenty[..<10] + [100] + twenty[10...], goesOnAt: 100),
            Change(
                "a hundred rows just before its own inserted", twenty[..<9] + Array(100..<200) + twenty[9...],
                goesOnAt: 10),
            Change("rows before it deleted", Array(twenty[3...]), goesOnAt: 10),
            Change("its own row deleted", twenty.filter { $0 != 9 }, goesOnAt: 10),
            Change("its own row and the two before it deleted", twenty.filter { !(7...9).contains($0) }, goesOnAt: 10),
            Change("its own row and all before it but one deleted", [2] + twenty[10...], goesOnAt: 10),
            Change("rows after it deleted", Array(twenty[..<10]) + [15], goesOnAt: 15),
            Change("the row after it deleted", twenty.filter { $0 != 10 }, goesOnAt: 11),
            Change(
                "inserted before and deleted before", [100, 101, 102] + twenty.filter { $0 != 9 && $0 != 4 },
                goesOnAt: 10),
        ])
    func changedList(_ change: Change) throws {
        func document(_ rows: [Int]) -> String { json(rows.map { "row \($0)" }) }
        let next = try #require(try next(of: Desk(document(Self.twenty)).get("/levels/?limit=10")))
        let rows = try rows(of: Desk(document(change.rows)).get(next))
        let index = try #require(change.rows.firstIndex(of: change.expected))
        #expect(rows == change.rows[index...].prefix(10).map { "row \($0)" })
    }

    @Test("A cursor whose rows are all gone goes on at its number less theirs, and past the end shows no rows")
    func lostCursor() throws {
        let next = try #require(try next(of: Desk(json((0..<20).map { "a\($0)" })).get("/levels/?limit=10")))
        #expect(try rows(of: Desk(json((0..<20).map { "b\($0)" })).get(next)) == (2..<12).map { "b\($0)" })
        let short = try Desk(json(["x", "y"])).get(next)
        #expect(try rows(of: short) == [])
        #expect(short.shape.contains(#""count":2,"start":2,"sections""#))
        #expect(try rows(of: Desk("[]").get(next)) == [])
    }

    @Test(
        "A limit is a whole number from 1 to 10000, and a cursor is what a link gave",
        arguments: [
            ("limit=0", "limit", "'limit' must be a whole number from 1 to 10000, not '0'."),
            ("limit=10001", "limit", "'limit' must be a whole number from 1 to 10000, not '10001'."),
            ("limit=-1", "limit", "'limit' must be a whole number from 1 to 10000, not '-1'."),
            ("limit=%2B5", "limit", "'limit' must be a whole number from 1 to 10000, not '+5'."),
            ("limit=1e3", "limit", "'limit' must be a whole number from 1 to 10000, not '1e3'."),
            ("limit=", "limit", "'limit' must be a whole number from 1 to 10000, not ''."),
            ("limit", "limit", "'limit' must be a whole number from 1 to 10000, not ''."),
            (
                "limit=99999999999999999999", "limit",
                "'limit' must be a whole number from 1 to 10000, not '99999999999999999999'."
            ),
            ("after=", "after", "'' is not a cursor; follow the link 'next' of a page."),
            ("after=row%2010", "after", "'row 10' is not a cursor; follow the link 'next' of a page."),
            ("after=AAAAAAAAAAA", "after", "'AAAAAAAAAAA' is not a cursor; follow the link 'next' of a page."),
            (
                "after=QAAAAAAAAAAAAAAAAAAAAA", "after",
                "'QAAAAAAAAAAAAAAAAAAAAA' is not a cursor; follow the link 'next' of a page."
            ),
            (
                "after=__________________________", "after",
                "'__________________________' is not a cursor; follow the link 'next' of a page."
            ),
            (
                "after=______________________", "after",
                "'______________________' is not a cursor; follow the link 'next' of a page."
            ),
        ])
    func refused(_ query: String, _ parameter: String, _ detail: String) throws {
        let answer = try Desk(json(["a"])).get("/levels/?\(query)")
        #expect(answer.status == 400)
        #expect(
            answer.line == """
                {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,"detail":"\(detail)",\
                "instance":"/levels/?\(query)","parameter":"\(parameter)"}
                """)
    }

    @Test("A cursor has its sort key with its length, filled with zeros, and no other form of it")
    func sortKeys() {
        func text(_ words: [UInt64]) -> [UInt8] {
            var text = ByteBuffer()
            for word in words { Version.word(word, into: &text) }
            return Array(copying: text.span)
        }
        func key(_ words: [UInt64]) -> [UInt8]? {
            Bookmark(position: text([5, 6]), orderKey: text(words), sectionMarks: [], room: .whole)?.orderKey
        }
        #expect(key([0x0261_6200_0000_0000]) == [0x61, 0x62])
        for wrong in [
            [0x0261_6200_0000_0001], [0x0261_6201_0000_0000], [0], [0x0801_0203_0405_0607], [0x0701_0203_0405_0607, 0],
        ] as [[UInt64]] {
            #expect(key(wrong) == nil)
        }
        let marks = (1...9).map { UInt64($0) }
        #expect(
            Bookmark(
                position: text([5] + marks.dropLast()), orderKey: [], sectionMarks: text(marks.dropLast()), room: .whole
            ) != nil)
        #expect(Bookmark(position: text([5] + marks), orderKey: [], sectionMarks: [], room: .whole) == nil)
        #expect(Bookmark(position: text([5, 6]), orderKey: [], sectionMarks: text(marks), room: .whole) == nil)
        #expect(Bookmark(position: text([5]), orderKey: [], sectionMarks: [], room: .whole) == nil)
    }

    @Test("A cursor is read as it was written, and is no other text")
    func cursors() {
        let steps = (1...3).map { number in
            Bookmark(
                position: number, keyHashes: [UInt64(number)], orderKey: number == 2 ? nil : [UInt8(number)],
                sectionMarks: number == 3 ? [9] : [], room: OutlinePlace.room(steps: 3))
        }
        let keys = [0, 1, 6, 7, 8, 15, 16, 239, 240].map { length -> [UInt8]? in
            length == 0 ? nil : (0..<length).map { UInt8(truncatingIfNeeded: $0 + 1) }
        }
        let rows = keys.flatMap { key in
            [[], [3]].map { RowBookmark.row(Bookmark(position: 4, keyHashes: [5], orderKey: key, sectionMarks: $0)) }
        }
        let supplied = (0...17).map { count in
            RowBookmark.supplied((0..<count).map { UInt8(truncatingIfNeeded: $0 + 250) })
        }
        for bookmark in rows + supplied + [.outline(OutlinePlace(steps: steps))] {
            var text = ByteBuffer()
            bookmark.append(to: &text)
            let cursor = String(utf8: text.span)
            #expect(RowBookmark(cursor: cursor) == bookmark, "\(cursor)")
            for other in [cursor + "A", cursor + ".", String(cursor.dropLast())] {
                #expect(RowBookmark(cursor: other) == nil, "\(other)")
            }
        }
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        #expect((UInt8.min...UInt8.max).filter(Version.isCharacter) == Array(alphabet.utf8).sorted())
        for word in [0, 1, 63, 64, 1 << 60, .max] as [UInt64] {
            var text = ByteBuffer()
            Version.word(word, into: &text)
            #expect(Version.words(text.span) == [word] && text.count == 11)
        }
        #expect(
            Version.words("P__________".utf8Span.span) == [.max] && Version.words("Q__________".utf8Span.span) == nil)
    }

    private func json(_ titles: [String]) -> String { "[" + titles.map { #""\#($0)""# }.joined(separator: ",") + "]" }

    private func rows(of answer: Answer) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let rows = try #require(object?["rows"] as? [[String: Any]])
        return rows.compactMap { $0["title"] as? String }
    }

    private func next(of answer: Answer) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        #expect(object?.keys.contains("next") == true)
        return object?["next"] as? String
    }

    /// The titles of all pages from a target on.
    private func walk(_ desk: Desk, from target: String, visit: ([String]) -> Void) throws -> [String] {
        var titles: [String] = []
        var target: String? = target
        while let current = target {
            let answer = desk.get(current)
            let page = try rows(of: answer)
            visit(page)
            titles += page
            target = try next(of: answer)
        }
        return titles
    }
}
