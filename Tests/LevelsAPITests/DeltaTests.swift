import Bytes
import Foundation
import Levels
import PropertyLists
import Testing
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

/// `?since=`: what changed on a level since the client's copy (manual, Refresh).
@Suite("A delta") struct DeltaTests {
    private static let contents: RandomDocument.Contents = [.foundation, .uids, .textBeyondXML]

    private static let plainQueries =
        ["", "fields=*&", "limit=2&", "format=plist&limit=3&fields=Text&"] + ["", "", "", ""]
    /// Of documents whose levels have orders of their own, too.
    private static let orderedQueries = [
        "", "sort=Title&", "sort=-Tag,Subtitle&limit=3&", "group=initial&", "group=Subtitle&sort=-Title&",
        "where=Title~e&", "where=Title~a&sort=Title&group=Kind&limit=4&", "sort=&group=&",
    ]

    @Test(
        "applied to the old list gives the new list, for every level of random documents",
        arguments: zip(0..<16, plainQueries + orderedQueries))
    func everyLevel(_ part: Int, _ query: String) throws {
        // Foundation reads a UID from XML as an object that equals no other.
        var contents = query.contains("plist") ? Self.contents.subtracting(.uids) : Self.contents
        if part >= Self.plainQueries.count { contents.insert(.orders) }
        var applied = 0
        for seed in UInt64(part * 8)..<UInt64(part * 8 + 8) {
            var random = RandomDocument(seed: seed, contents)
            let before = random.document()
            let after = random.edited(before)
            let old = Desk.snapshot(try before.tree(), revision: "k3-1")
            let new = Desk.snapshot(try after.tree(), revision: "k3-2")
            let desk = Desk(old)
            let paths = Self.paths(old.document)
            let copies = paths.map { desk.get("/levels/\($0)?\(query)") }
            desk.api.publish(new)
            for (path, copy) in zip(paths, copies) {
                let answer = desk.get("/levels/\(path)?\(query)")
                guard answer.status == 200, copy.status == 200 else { continue }
                let copy = try Self.object(copy)
                let since = try #require(copy["version"] as? String)
                let delta = try Self.object(desk.get("/levels/\(path)?\(query)since=\(since)"))
                #expect(
                    try Self.applied(delta, to: copy) == Self.object(answer) as NSDictionary, "seed \(seed), \(path)")
                try Self.expectFewestSteps(delta, from: copy, to: Self.object(answer), "seed \(seed), \(path)")
                applied += 1
            }
        }
        #expect(applied > 20)
    }

    /// Rows that stay are neither removed nor inserted, and of these no more move than have to.
    private static func expectFewestSteps(
        _ delta: [String: Any], from old: [String: Any], to new: [String: Any], _ place: Comment
    ) throws {
        func keys(_ level: [String: Any]) throws -> [String] {
            try #require(level["rows"] as? [[String: Any]]).compactMap { $0["key"] as? String }
        }
        guard delta["rows"] == nil else { return }
        let (before, after) = (try keys(old), try keys(new))
        let common = Set(before).intersection(after)
        #expect(delta["removed"] as? [String] == before.filter { !common.contains($0) }, place)
        #expect((delta["inserted"] as? [Any])?.count == after.count - common.count, place)
        // The longest ascending sequence of the old positions stays.
        var longest: [Int] = []
        let positions = after.compactMap { before.firstIndex(of: $0) }
        for (index, position) in positions.enumerated() {
            longest.append(1 + ((0..<index).filter { positions[$0] < position }.map { longest[$0] }.max() ?? 0))
        }
        #expect((delta["moved"] as? [Any])?.count == common.count - (longest.max() ?? 0), place)
    }

    @Test("has the level's own head and version, and says as little as it can")
    func wording() throws {
        let desk = Desk(try Self.snapshot(#"["a", "b", "c", "d"]"#, "k3-1"))
        let since = try #require(Self.object(desk.get("/levels/"))["version"] as? String)
        desk.api.publish(
            try Self.snapshot(#"["d", "a", {"Title": "b", "Subtitle": "B"}, "e"]"#, "k3-2"))
        let answer = desk.get("/levels/?since=\(since)")
        #expect(answer.entityTag == desk.get("/levels/").entityTag)
        #expect(
            answer.shape == """
                {"title":"Root","href":"/levels/","detail":"/detail/","version":"V","depth":0,"leaf":false,"ancestors":[],\
                "count":4,"sections":[{"title":null,"index":null,"start":0,"count":4}],"since":"\(since)","removed":["c"],\
                "inserted":[{"at":3,"row":{"key":"e","version":"v","title":"e","leaf":true,"count":0,"href":"/detail/e",\
                "fields":{}}}],"moved":[{"at":0,"key":"d"}],"updated":[{"at":2,"row":{"key":"b","version":"v","title":"b",\
                "leaf":true,"count":0,"href":"/detail/b","fields":{"Subtitle":"B"}}}],"next":null,"after":null}
                """)
    }

    @Test("of a page counts positions from the beginning of the page")
    func movedOnPage() throws {
        let desk = Desk(try Self.snapshot(#"["a", "b", "c", "d", "e"]"#, "k3-1"))
        let since = try #require(Self.object(desk.get("/levels/?start=2"))["version"] as? String)
        desk.api.publish(try Self.snapshot(#"["a", "b", "e", "c", "d"]"#, "k3-2"))
        let answer = desk.get("/levels/?start=2&since=\(since)")
        #expect(answer.line.contains(#""removed":[],"inserted":[],"moved":[{"at":0,"key":"e"}],"updated":[]"#))
    }

    @Test("since the version of now is empty")
    func nothing() throws {
        let desk = Desk(try Self.snapshot(#"["a"]"#, "k3-1"))
        let version = try #require(Self.object(desk.get("/levels/"))["version"] as? String)
        #expect(
            desk.get("/levels/?since=\(version)").line.hasSuffix(
                #""since":"\#(version)","removed":[],"inserted":[],"moved":[],"updated":[],"next":null,"after":null}"#))
    }

    @Test("in a coding has the tag of the whole level in it, however short it is itself")
    func coded() throws {
        let rows = (0..<300).map { "\"row \($0)\"" }.joined(separator: ",")
        let desk = Desk(try Self.snapshot("[\(rows)]", "k3-1"))
        let gzip = [("Accept-Encoding", "gzip")]
        let since = try #require(Self.object(desk.get("/levels/"))["version"] as? String)
        let old = desk.get("/levels/", gzip)
        #expect(desk.get("/levels/?since=\(since)", gzip + [("If-None-Match", old.entityTag)]).status == 304)
        desk.api.publish(try Self.snapshot("[\(rows), \"one more\"]", "k3-2"))
        let delta = desk.get("/levels/?since=\(since)", gzip)
        #expect(delta.entityTag == desk.get("/levels/", gzip).entityTag)
        #expect(delta.decoded == desk.get("/levels/?since=\(since)"))
    }

    @Test("since a forgotten version is the whole level")
    func forgotten() throws {
        let desk = Desk(try Self.snapshot(#"["a"]"#, "k3-1"))
        let version = String(repeating: "A", count: 22)
        #expect(desk.get("/levels/?since=\(version)").body == desk.get("/levels/").body)
    }

    @Test("since an issued version is a delta as long as the tree is held, however many came after it")
    func given() throws {
        let desk = Desk(try Self.snapshot("[\"row 0\"]", "k3-0"))
        var versions: [String] = []
        for number in 1...300 {
            versions.append(try #require(Self.object(desk.get("/levels/"))["version"] as? String))
            desk.api.publish(try Self.snapshot("[\"row \(number)\"]", "k3-\(number)"))
        }
        for (number, since) in versions.enumerated() {
            let delta = desk.get("/levels/?since=\(since)")
            #expect(delta.text.contains(#""removed":["row \#(number)"],"inserted":[{"at":0,"row":{"key":"row 300","#))
        }
        // Asked for otherwise it is the version of nothing.
        let other = desk.get("/levels/?fields=*&since=\(versions[0])")
        #expect(other.body == desk.get("/levels/?fields=*").body)
    }

    @Test("lists moved rows by the new positions, whatever the old ones were")
    func orderOfMoves() throws {
        let desk = Desk(try Self.snapshot(#"["a", "b", "c", "d", "e"]"#, "k3-1"))
        let since = try #require(Self.object(desk.get("/levels/"))["version"] as? String)
        desk.api.publish(try Self.snapshot(#"["c", "d", "e", "b", "a"]"#, "k3-2"))
        #expect(
            desk.get("/levels/?since=\(since)").text.contains(
                #""moved":[{"at":3,"key":"b"},{"at":4,"key":"a"}],"updated":[]"#))
    }

    @Test("since a version issued from the cache alone is a delta as long as the tree is held")
    func givenFromCache() throws {
        let long = (0..<1_000).map { "\"row \($0)\"" }.joined(separator: ",")
        let other = (0..<20_000).map { "\"other \($0)\"" }.joined(separator: ",")
        let desk = Desk(
            try Self.snapshot(#"[{"Title":"a","Children":[\#(long)]},{"Title":"b","Children":[\#(other)]}]"#, "k3-0"),
            cacheBytes: 32 << 20, historyBytes: 100_000)
        for _ in 0..<3 { _ = desk.get("/levels/a") }
        desk.api.publish(
            try Self.snapshot(#"[{"Title":"a","Children":[\#(long)]},{"Title":"b","Children":["x"]}]"#, "k3-1"))
        let since = try #require(Self.object(desk.get("/levels/a"))["version"] as? String)
        // So much shorter that the version is not searched for.
        desk.api.publish(try Self.snapshot(#"[{"Title":"a","Children":["row 0"]}]"#, "k3-2"))
        #expect(desk.api.publications.replaced.map(\.revision) == ["k3-1"])
        #expect(desk.get("/levels/a?since=\(since)").text.contains(#""removed":["row 1","row 2","#))
    }

    @Test("since a version issued by another server is a delta if it is one of the latest")
    func givenElsewhere() throws {
        // Some 10 KiB each, of which six times as many are looked through.
        func document(_ number: Int) -> String {
            "[" + (0..<100).map { "\"row \($0) of state \(number)\"" }.joined(separator: ",") + "]"
        }
        let desk = Desk(try Self.snapshot(document(0), "k3-0"))
        for number in 1...20 { desk.api.publish(try Self.snapshot(document(number), "k3-\(number)")) }
        for (number, isTold) in [(19, true), (16, true), (10, false), (0, false)] {
            let other = Desk(try Self.snapshot(document(number), "b7-1"))
            let since = try #require(Self.object(other.get("/levels/"))["version"] as? String)
            let answer = desk.get("/levels/?since=\(since)")
            #expect(answer.text.contains(#""since":"\#(since)""#) == isTold, "state \(number)")
            #expect(isTold || answer.body == desk.get("/levels/").body)
        }
    }

    @Test("is not looked for in states that are far longer than the level is now")
    func longStates() throws {
        let rows = (0..<1_000).map { "\"row \($0)\"" }.joined(separator: ",")
        let desk = Desk(try Self.snapshot("[\(rows)]", "k3-1"))
        desk.api.publish(try Self.snapshot("[\"one\"]", "k3-2"))
        let other = Desk(try Self.snapshot("[\(rows)]", "b7-1"))
        let since = try #require(Self.object(other.get("/levels/"))["version"] as? String)
        #expect(desk.get("/levels/?since=\(since)").body == desk.get("/levels/").body)
    }

    @Test("of a page lists the changes of the page's rows")
    func page() throws {
        let desk = Desk(try Self.snapshot(#"["a", "b", "c"]"#, "k3-1"))
        let since = try #require(Self.object(desk.get("/levels/?limit=2"))["version"] as? String)
        desk.api.publish(try Self.snapshot(#"["x", "a", "b", "c"]"#, "k3-2"))
        let delta = desk.get("/levels/?limit=2&since=\(since)")
        #expect(delta.text.contains(#""removed":["b"],"inserted":[{"at":0,"row":{"key":"x","#))
        let next = try #require(Self.object(delta)["next"] as? String)
        #expect(next.wholeMatch(of: /\/levels\/\?limit=2&after=[A-Za-z0-9_-]+/) != nil)
    }

    @Test("reaches back as far as the history's budget")
    func budget() throws {
        let desk = Desk(try Self.snapshot(#"["a"]"#, "k3-1"), historyBytes: 0)
        let since = try #require(Self.object(desk.get("/levels/"))["version"] as? String)
        desk.api.publish(try Self.snapshot(#"["b"]"#, "k3-2"))
        #expect(desk.get("/levels/?since=\(since)").body == desk.get("/levels/").body)
        #expect(desk.get("/changes?since=k3-1").status == 410)
    }

    @Test("since the previous version always works, even after changes alone fill the history's budget")
    func lasting() throws {
        let desk = Desk(try Self.snapshot(#"["0"]"#, "k3-0"), historyBytes: 20_000)
        for number in 1...100 {
            let since = try #require(Self.object(desk.get("/levels/"))["version"] as? String)
            desk.api.publish(try Self.snapshot("[\"\(number)\"]", "k3-\(number)"))
            let delta = desk.get("/levels/?since=\(since)")
            try #require(delta.text.contains("\"removed\":[\"\(number - 1)\"]"), "after \(number) changes")
        }
    }

    // MARK: A client

    /// Applies a delta as a client does, by plain code.
    static func applied(_ delta: [String: Any], to copy: [String: Any]) throws -> NSDictionary {
        var result = delta
        if result["rows"] == nil {
            var rows = try #require(copy["rows"] as? [[String: Any]])
            let known = Dictionary(
                rows.map { ($0["key"] as? String ?? "", $0) }, uniquingKeysWith: { first, _ in first })
            let moved = try #require(delta["moved"] as? [[String: Any]])
            let inserted = try #require(delta["inserted"] as? [[String: Any]])
            let gone = Set(try #require(delta["removed"] as? [String]) + moved.compactMap { $0["key"] as? String })
            rows.removeAll { gone.contains($0["key"] as? String ?? "") }
            let coming =
                try inserted.map { (try #require($0["at"] as? Int), try #require($0["row"] as? [String: Any])) }
                + moved.map { (try #require($0["at"] as? Int), try #require(known[$0["key"] as? String ?? ""])) }
            for (place, row) in coming.sorted(by: { $0.0 < $1.0 }) { rows.insert(row, at: place) }
            for update in try #require(delta["updated"] as? [[String: Any]]) {
                rows[try #require(update["at"] as? Int)] = try #require(update["row"] as? [String: Any])
            }
            result["rows"] = rows
        }
        for member in ["since", "removed", "inserted", "moved", "updated"] { result[member] = nil }
        return result as NSDictionary
    }

    private static func object(_ answer: Answer) throws -> [String: Any] {
        if answer.header("Content-Type") != "application/json" {
            return try #require(
                try unsafe PropertyListSerialization.propertyList(from: Data(answer.body), format: nil)
                    as? [String: Any])
        }
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private static func snapshot(_ document: String, _ revision: String) throws -> Snapshot {
        Desk.snapshot(try Document.tree(document), revision: revision)
    }

    private static func paths(_ document: Level) -> [String] {
        var paths: [String] = []
        var waiting = [("", document.child(0))]
        while let (path, level) = waiting.popLast() {
            paths.append(path)
            waiting += (0..<(level?.count ?? 0)).map { row in
                var link = ByteBuffer()
                PercentEncoding.append(Array((level?.key(row) ?? "").utf8).span, to: &link)
                let key = String(decoding: Array(copying: link.span), as: UTF8.self)
                return (path.isEmpty ? key : path + "/" + key, level?.child(row))
            }
        }
        return paths
    }
}
