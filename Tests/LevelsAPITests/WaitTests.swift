import Levels
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// Long polls (manual, Refresh), without a socket.
@Suite("A request that waits") struct WaitTests {
    private static let first = #"[{"Title": "a", "Texts": ["1"], "Children": ["x"]}, "b"]"#

    private static func snapshot(_ document: String, _ number: Int, pool: LevelPool? = nil) throws -> Snapshot {
        Desk.snapshot(try Document.tree(document, pool: pool), revision: "k3-\(number)")
    }

    private static func desk(waiters: Int = 10) throws -> Desk {
        try Desk(snapshot(first, 1)) { $0.waiters = waiters }
    }

    /// Repeats the request of a first answer, and waits.
    private static func poll(
        _ desk: Desk, _ target: String, _ wait: String = "wait=30", _ fields: [(name: String, value: String)] = []
    ) throws -> Waiter {
        let tag = desk.get(target, fields).entityTag
        let fields = fields + [("If-None-Match", tag), ("Prefer", wait)]
        let answer = desk.api.respond(to: Request(target: target, fields: fields))
        return try #require(answer.waiter, "\(target) is answered at once")
    }

    @Test(
        "is answered with the new representation when it changes",
        arguments: [
            "/levels/", "/levels/a", "/levels/b", "/levels/?fields=Text", "/levels/?limit=1", "/detail/a", "/detail/b",
            "/document", "/document/a?format=json", "/levels/?format=plist",
        ])
    func change(_ target: String) throws {
        let desk = try Self.desk()
        let waiter = try Self.poll(desk, target)
        #expect(!waiter.hasEnded)
        desk.api.publish(
            try Self.snapshot(
                #"["0", {"Title": "a", "Texts": ["2"], "Children": ["y"]}, {"Title": "b", "Children": ["z"]}]"#, 2))
        #expect(waiter.hasEnded)
        let answer = Answer(try #require(waiter.response))
        let fresh = desk.get(target)
        #expect(answer.body == fresh.body)
        #expect(answer.status == 200)
        #expect(answer.headers == fresh.headers + ["Preference-Applied: wait=30"])
    }

    @Test(
        "goes on waiting while its representation stays the same",
        arguments: [
            "/levels/", "/levels/a", "/levels/b", "/detail/b", "/document/b", "/levels/?fields=Subtitle",
            "/levels/?limit=1",
        ])
    func other(_ target: String) throws {
        let desk = try Self.desk()
        let waiter = try Self.poll(desk, target)
        desk.api.publish(
            try Self.snapshot(#"[{"Title": "a", "Texts": ["2"], "Children": ["x"]}, "b"]"#, 2))
        #expect(!waiter.hasEnded)
        desk.api.publish(try Self.snapshot(#"["c"]"#, 3))
        #expect(waiter.hasEnded)
    }

    @Test(
        "for a removed item is answered with 404",
        arguments: ["/levels/a", "/levels/a?limit=1", "/detail/a", "/detail/a/x", "/document/a"])
    func deleted(_ target: String) throws {
        let desk = try Self.desk()
        let waiter = try Self.poll(desk, target)
        desk.api.publish(try Self.snapshot(#"["b"]"#, 2))
        let answer = Answer(try #require(waiter.response))
        #expect(answer == desk.get(target))
        #expect(answer.status == 404)
    }

    @Test(
        "is 304 when its time is over, and says that it waited",
        arguments: [
            ["respond-async, Wait=\"7\"; x=y"], ["x=\"a,b\", wait=7"], ["wait=7, wait=200"],
            ["respond-async", "wait=7"], ["wait=7", "respond-async"], ["wait=7", "wait=200"],
        ])
    func time(_ lines: [String]) throws {
        let desk = try Self.desk()
        let tag = desk.get("/levels/").entityTag
        let fields = [(name: "If-None-Match", value: tag)] + lines.map { ("Prefer", $0) }
        let waiter = try #require(desk.api.respond(to: Request(target: "/levels/", fields: fields)).waiter)
        waiter.expire()
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 304)
        #expect(
            answer.headers == [
                "ETag: \(tag)", "Cache-Control: no-cache",
                "Vary: Accept-Encoding, Accept", "Preference-Applied: wait=7",
            ])
    }

    @Test(
        "may say so in its query, which is no part of what it asks for",
        arguments: ["wait=30&limit=1", "limit=1&&wait=30", "limit=1&w%61it=%330"])
    func parameter(_ query: String) throws {
        let desk = try Self.desk()
        let plain = desk.get("/levels/?limit=1")
        let fields = [("If-None-Match", plain.entityTag)]
        let target = "/levels/?\(query)"
        // From the second time on it may be kept.
        for _ in 0..<3 {
            // A client without a copy is told that it need not wait.
            let answer = desk.get(target)
            #expect(answer.headers == plain.headers)
            #expect(answer.text.replacing(/,"hints":\["'wait' [^\]]*\]/, with: "") == plain.text)
        }
        let waiter = try #require(desk.api.respond(to: Request(target: target, fields: fields)).waiter)
        desk.api.publish(try Self.snapshot(#"["c", "d"]"#, 2))
        #expect(Answer(try #require(waiter.response)) == desk.get("/levels/?limit=1"))
    }

    @Test("is answered at once where it has nothing, or something else, and for an item that does not exist")
    func atOnce() throws {
        let desk = try Self.desk()
        let plain = desk.get("/levels/")
        for fields in [[], [("If-None-Match", "\"other\"")]] {
            let answer = desk.get("/levels/", fields + [("Prefer", "wait=400")])
            #expect(answer.body == plain.body)
            #expect(answer.headers == plain.headers + ["Preference-Applied: wait=300"])
        }
        let missing = [("If-None-Match", "\"other\""), ("Prefer", "wait=30")]
        for path in ["levels", "detail", "document"] { #expect(desk.get("/\(path)/x", missing).status == 404) }
    }

    @Test(
        "by a preference that is none does not wait",

        arguments: [
            "wait", "wait=", "wait=0", "wait=x", "wait=-1", "return", #"x="a, wait=30""#,
            #"x="\", wait=30""#,
        ])
    func noPreference(_ preference: String) throws {
        let desk = try Self.desk()
        let tag = desk.get("/levels/").entityTag
        #expect(desk.get("/levels/", [("If-None-Match", tag), ("Prefer", preference)]).status == 304)
    }

    @Test("is 503 where too many wait already, until one of them ends")
    func full() throws {
        let desk = try Self.desk(waiters: 1)
        let waiter = try Self.poll(desk, "/levels/")
        let tag = desk.get("/levels/a").entityTag
        let fields = [("If-None-Match", tag), ("Prefer", "wait=30")]
        let answer = desk.get("/levels/a", fields)
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "5")
        #expect(
            answer.text.contains(
                "The limit of waiting requests is reached. Send the request without 'wait', or try again later."))
        #expect(desk.get("/changes?wait=3").status == 503)
        waiter.expire()
        #expect(desk.api.respond(to: Request(target: "/levels/a", fields: fields)).waiter != nil)
    }

    @Test("shares the 304 and the 200 with all equal requests", arguments: ["/levels/a", "/document"])
    func shared(_ target: String) throws {
        let desk = try Self.desk()
        let waiters = try (0..<3).map { _ in try Self.poll(desk, target) }
        #expect(waiters.allSatisfy { $0.otherwise === waiters[0].otherwise })
        desk.api.publish(try Self.snapshot(#"[{"Title": "a", "Children": ["y"]}]"#, 2))
        let first = try #require(waiters[0].response)
        #expect(waiters.allSatisfy { $0.response === first })
    }

    @Test("gets a document of its own where that is long", arguments: ["identity", "gzip"])
    func longDocument(_ coding: String) throws {
        let rows = (0..<20_000).map { "\"row \($0)\"" }.joined(separator: ",")
        let desk = try Self.desk()
        let fields = [("Accept-Encoding", coding)]
        let waiters = try (0..<2).map { _ in try Self.poll(desk, "/document", "wait=30", fields) }
        desk.api.publish(try Self.snapshot("[\(rows)]", 2))
        let answers = try waiters.map { Answer(try #require($0.response)) }
        #expect(answers[0] == answers[1])
        #expect(answers[0].body == desk.get("/document", fields).body)
    }

    @Test("in a coding gets the coded form")
    func coded() throws {
        let rows = (0..<300).map { "\"row \($0)\"" }.joined(separator: ",")
        let desk = try Self.desk()
        desk.api.publish(try Self.snapshot("[\(rows)]", 2))
        let waiter = try Self.poll(desk, "/levels/", "wait=30", [("Accept-Encoding", "gzip")])
        desk.api.publish(try Self.snapshot("[\(rows), \"one more\"]", 3))
        let answer = Answer(try #require(waiter.response))
        #expect(answer.header("Content-Encoding") == "gzip")
        #expect(answer.body == desk.get("/levels/", [("Accept-Encoding", "gzip")]).body)
    }

    @Test("is answered with a publication between its answer and its wait")
    func publishedMeanwhile() throws {
        let desk = try Self.desk()
        let first = desk.api.publications.current
        let negotiation = Negotiation(request: Request(target: "/detail/a"), origins: .none)
        let inquiry = try Inquiry(
            question: Question(detailAt: "/detail/a", negotiation: negotiation), in: first,
            arrangements: desk.api.selection.arrangements)
        let selected = try desk.api.selection.select(inquiry)
        let waiter = try #require(desk.api.room.admit(for: .seconds(30), otherwise: selected.notModified()))
        desk.api.publish(try Self.snapshot(#"[{"Title": "a", "Texts": ["2"]}]"#, 2))
        desk.api.hold(waiter, inquiry: inquiry, having: selected, isKnown: true)
        #expect(waiter.hasEnded)
        #expect(Answer(try #require(waiter.response)) == desk.get("/detail/a"))
    }

    @Test("from another origin or in another coding gets its own answer, though the target and the tag are the same")
    func choices() throws {
        let desk = try Desk(Self.snapshot(Self.first, 1)) {
            $0.allowedOrigins = try AllowedOrigins("https://a.example https://b.example")
        }
        let choices = [
            [("Origin", "https://a.example")], [("Origin", "https://b.example")], [("Accept-Encoding", "gzip")], [],
        ]
        let tags = Set(choices.map { desk.get("/levels/", $0).entityTag })
        #expect(tags.count == 1)
        let waiters = try choices.map { try Self.poll(desk, "/levels/", "wait=30", $0) }
        let rows = (0..<300).map { "\"row \($0)\"" }.joined(separator: ",")
        desk.api.publish(try Self.snapshot("[\(rows)]", 2))
        let answers = try waiters.map { Answer(try #require($0.response)) }
        #expect(
            answers.map { $0.header("Access-Control-Allow-Origin") } == [
                "https://a.example", "https://b.example", nil, nil,
            ])
        #expect(answers.map { $0.header("Content-Encoding") } == [nil, nil, "gzip", nil])
    }

    @Test("with since gets the changes")
    func delta() throws {
        let desk = try Self.desk()
        let tag = desk.get("/levels/").entityTag
        let waiter = try Self.poll(desk, "/levels/?since=\(tag.dropFirst().dropLast())")
        desk.api.publish(try Self.snapshot(#"["b"]"#, 2))
        #expect(
            Answer(try #require(waiter.response)).text.contains(
                #""removed":["a"],"inserted":[],"moved":[],"updated":[]"#))
    }

    @Test("with since needs no If-None-Match: it names the client's version", arguments: ["", "&pretty=true"])
    func deltaAlone(_ layout: String) throws {
        let desk = try Self.desk()
        let target = "/levels/?since=\(desk.get("/levels/").entityTag.dropFirst().dropLast())" + layout
        func waiter(_ target: String, _ fields: [(name: String, value: String)] = []) throws -> Waiter {
            let answer = desk.api.respond(to: Request(target: target, fields: fields))
            return try #require(answer.waiter, "\(target) is answered at once")
        }
        // From the second time on it may be kept.
        for _ in 0..<3 { _ = desk.get(target) }
        let waiters = [try waiter(target + "&wait=3"), try waiter(target, [("Prefer", "wait=3")])]
        desk.api.publish(try Self.snapshot(#"["b"]"#, 2))
        for waiter in waiters {
            let answer = Answer(try #require(waiter.response))
            #expect(answer.content == desk.get(target).content)
            #expect(answer.text.contains(#""removed""#))
            #expect(answer.status == 200)
        }
    }

    @Test("with since is answered at once if it has another version, or names its tag in If-None-Match")
    func deltaAtOnce() throws {
        let desk = try Self.desk()
        let since = desk.get("/levels/").entityTag.dropFirst().dropLast()
        #expect(desk.get("/levels/?since=\(since)&wait=3", [("If-None-Match", "\"x\"")]).status == 200)
        #expect(desk.get("/levels/?since=\(since)").status == 200)
        desk.api.publish(try Self.snapshot(#"["b"]"#, 2))
        #expect(desk.get("/levels/?since=\(since)&wait=3").content == desk.get("/levels/?since=\(since)").content)
    }

    @Test("with since and an unknown version gets everything, without a search")
    func deltaSinceOther() throws {
        let desk = try Self.desk()
        let since = desk.get("/levels/").entityTag.dropFirst().dropLast()
        desk.api.publish(try Self.snapshot(#"["b"]"#, 2))
        let waiter = try Self.poll(desk, "/levels/?since=\(since)")
        desk.api.publish(try Self.snapshot(#"["c"]"#, 3))
        #expect(Answer(try #require(waiter.response)).content == desk.get("/levels/").content)
    }
}
