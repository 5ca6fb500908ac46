import HTTPServer
import Levels
import Testing
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

/// Requests that look through many rows: they are answered on another thread.
@Suite("An answer that takes long") struct LaterAnswerTests {
    private static let fruits = #"[{"Title":"c","Children":["apple","banana"]},"a","b"]"#
    private let threads = WorkQueueTests.Threads()

    /// A service that makes every answer for which four rows are looked at on another thread.
    private func desk(_ document: String = fruits, historyBytes: Int = 64 << 20, waiters: Int = 10) throws -> Desk {
        try Desk(Desk.snapshot(document), historyBytes: historyBytes) { [threads] configuration in
            configuration.largestImmediateWork = 3
            configuration.waiters = waiters
            configuration.startWork = { threads.start($0) }
        }
    }

    private func ask(
        _ desk: Desk, _ target: String, _ fields: [(name: String, value: String)] = []
    ) throws -> Waiter {
        try #require(desk.api.respond(to: Request(target: target, fields: fields)).waiter, "\(target) is answered now")
    }

    private func answered(
        _ desk: Desk, _ target: String, _ fields: [(name: String, value: String)] = []
    ) throws -> Answer {
        let waiter = try ask(desk, target, fields)
        #expect(!waiter.hasEnded)
        threads.run()
        #expect(waiter.hasEnded)
        return Answer(try #require(waiter.response))
    }

    @Test("comes after those that do not, when both wait for a change")
    func costs() throws {
        let desk = try desk(#"[{"Title":"a","Children":["1"]},"b","c","d","e","f"]"#, historyBytes: 0)
        weak let old = desk.api.publications.current.snapshot
        let waiters = try ["/levels/", "/levels/a"].map { target in
            try ask(desk, target, [("If-None-Match", desk.get(target).entityTag), ("Prefer", "wait=30")])
        }
        desk.api.publish(try Desk.snapshot(#"[{"Title":"a","Children":["2"]},"b","c","d","e","g"]"#))
        #expect(waiters.map(\.hasEnded) == [false, true])
        #expect(old == nil, "the earlier tree is kept while a check is deferred")
        threads.run()
        #expect(waiters.map(\.hasEnded) == [true, true])
    }

    @Test(
        "is that which is made at once elsewhere, with its problems",
        arguments: ["/levels/?q=an", "/levels/?q=a&limit=1", "/levels/?q=a&start=99", "/levels/?q=x&format=plist"])
    func same(_ target: String) throws {
        #expect(try answered(desk(), target) == Desk(Self.fruits).get(target))
    }

    @Test("is not needed for few rows, a plain level, or a value that is refused")
    func immediate() throws {
        let desk = try desk()
        for target in [
            "/levels/", "/levels/c?q=an", "/levels/?sort=Title", "/levels/?q=", "/levels/?limit=1", "/levels/x?q=a",
        ] {
            #expect(desk.get(target) == (try Desk(Self.fruits).get(target)), "\(target)")
        }
        #expect(threads.count == 0)
    }

    @Test(
        "is one about an outline if many rows of its levels are to be put in order",
        arguments: [
            ("/levels/?depth=2", false), ("/levels/?depth=all&limit=1", true), ("/levels/?depth=2&limit=2", true),
            ("/levels/?depth=2&start=3&limit=1", true), ("/levels/?depth=2&start=7&limit=1", false),
            ("/levels/?expand=b/x", true), ("/levels/?expand=b&limit=1", true), ("/levels/?expand=a", false),
            ("/levels/a?depth=2", false), ("/levels/b?depth=1", true), ("/levels/b?expand=x&start=5", true),
        ])
    func outlines(_ target: String, isLater: Bool) throws {
        let rows = #"[{"Title":"x","Children":["y"]},"2","1","3"]"#
        let document =
            #"[{"Title":"b","SortBy":"Title","Children":\#(rows)},{"Title":"a","Children":\#(rows)},"c"]"#
        let expected = try Desk(document).get(target)
        #expect(try isLater ? answered(desk(document), target) == expected : desk(document).get(target) == expected)
    }

    @Test("is one for whose hints many rows may be looked at")
    func hints() throws {
        let document = #"["a","b","c","d"]"#
        #expect(try desk(document).get("/levels/?fields=Title,Key").status == 200)
        #expect(try answered(desk(document), "/levels/?fields=Price") == Desk(document).get("/levels/?fields=Price"))
        #expect(try desk().get("/levels/?fields=Price") == Desk(Self.fruits).get("/levels/?fields=Price"))
    }

    @Test("is one of changes if the rows of both versions are many together")
    func changes() throws {
        let desk = try desk(#"["b","a"]"#)
        let version = try #require(desk.get("/levels/?sort=Title").text.firstMatch(of: /"version":"([^"]{22})"/)).1
        desk.api.publish(Desk.snapshot(try Document.tree(#"["c","a"]"#), revision: "k3-2"))
        #expect(try answered(desk, "/levels/?sort=Title&since=\(version)").text.contains(#""removed":["b"]"#))
    }

    @Test("respects the conditions of the request")
    func conditions() throws {
        let desk = try desk()
        let tag = try answered(desk, "/levels/?q=an").entityTag
        #expect(try answered(desk, "/levels/?q=an", [("If-None-Match", "\"x\", W/\(tag)")]).status == 304)
        #expect(try answered(desk, "/levels/?q=an&limit=9", [("If-Match", "\"x\"")]).status == 412)
        #expect(try answered(desk, "/levels/?q=an&limit=8", [("If-None-Match", "\"x\"")]).status == 200)
    }

    @Test("is made from the newest tree, or says that the item is gone")
    func newest() throws {
        let desk = try desk()
        let waiter = try ask(desk, "/levels/?q=an")
        desk.api.publish(Desk.snapshot(try Document.tree(#"["an","b","c","d"]"#), revision: "k3-2"))
        threads.run()
        #expect(Answer(try #require(waiter.response)).text.contains(#""key":"an""#))
    }

    @Test("is not made for a client that is gone")
    func gone() throws {
        let desk = try desk()
        let waiter = try ask(desk, "/levels/?q=an")
        waiter.expire()
        threads.run()
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "1")
        #expect(
            answer.line == """
                {"type":"/problems/too-busy","title":"Too busy","status":503,"detail":"Too many requests that look \
                through many items are ahead of this one. Try again after the seconds in Retry-After.",\
                "instance":"/levels/?q=an"}
                """)
    }

    @Test("is refused if too many are ahead, and made again after them")
    func full() throws {
        let desk = try desk()
        let ahead = try (0..<128).map { try ask(desk, "/levels/?q=\($0)") }
        #expect(desk.get("/levels/?q=an").status == 503)
        #expect(desk.get("/levels/").status == 200)
        threads.run()
        #expect(ahead.allSatisfy { $0.hasEnded })
        #expect(try answered(desk, "/levels/?q=an").status == 200)
    }

    @Test("may be waited for until it changes")
    func waits() throws {
        let desk = try desk()
        let tag = try answered(desk, "/levels/?q=an").entityTag
        let waiter = try ask(desk, "/levels/?q=an&wait=30", [("If-None-Match", tag)])
        threads.run()
        #expect(!waiter.hasEnded)
        #expect(waiter.otherwise.status == 304)
        // Another row of the same level: the hits stay.
        desk.api.publish(
            Desk.snapshot(try Document.tree(Self.fruits.replacing("apple", with: "apples")), revision: "k3-2"))
        threads.run()
        #expect(!waiter.hasEnded)
        desk.api.publish(
            Desk.snapshot(try Document.tree(Self.fruits.replacing("apple", with: "orange")), revision: "k3-3"))
        #expect(!waiter.hasEnded)
        threads.run()
        #expect(waiter.hasEnded)
        #expect(Answer(try #require(waiter.response)).text.contains("orange"))
    }

    @Test("for waiting requests takes no place of a request, and comes after all of them, for the newest tree alone")
    func behind() throws {
        let desk = try desk(waiters: 300)
        let tag = try answered(desk, "/levels/?q=an").entityTag
        let waiters = try (1...100).map { number in
            try ask(desk, "/levels/?q=an&wait=\(number)", [("If-None-Match", tag)])
        }
        threads.run()
        for number in 2...3 {
            desk.api.publish(
                Desk.snapshot(
                    try Document.tree(Self.fruits.replacing("apple", with: "orange \(number)")),
                    revision: "k3-\(number)"))
        }
        let searches = try (0..<128).map { try ask(desk, "/levels/?q=\($0)") }
        #expect(desk.get("/levels/?q=an").status == 503)
        threads.run()
        #expect(searches.allSatisfy { $0.hasEnded } && waiters.allSatisfy { $0.hasEnded })
        #expect(
            try waiters.allSatisfy { Answer(try #require($0.response)).text.contains("orange 3") })
    }

    @Test("that is waited for counts as waiting from the beginning")
    func waiters() throws {
        let desk = try desk(waiters: 0)
        let answer = desk.get("/levels/?q=an&wait=30", [("If-None-Match", "\"x\"")])
        #expect(answer.status == 503)
        #expect(answer.text.contains("too-many-waiters"))
        #expect(try answered(desk, "/levels/?q=an").status == 200)
    }
}
