import Levels
import Locking
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// Reads of a document whose source names its revisions (manual, Refresh), without a socket.
@Suite("A request for a revision") struct RevisionTests {
    static func snapshot(
        _ document: String, _ revision: String, history: [RevisionEntry] = [], cause: Snapshot.Cause = .load
    ) throws -> Snapshot {
        Snapshot(
            document: try Document.tree(document).document, revision: revision, isNamedBySource: true,
            loadedAt: 1_700_000_000, cause: cause, history: history)
    }

    private static func desk(waiters: Int = 10) throws -> Desk {
        try Desk(snapshot(#"["a"]"#, "db-7")) { $0.waiters = waiters }
    }

    private static func ask(
        _ desk: Desk, _ target: String, _ revision: String?, _ fields: [(name: String, value: String)] = []
    ) -> HTTPServer.Answer {
        desk.api.respond(
            to: Request(target: target, fields: fields + (revision.map { [("Drilldown-Revision", $0)] } ?? [])))
    }

    @Test(
        "is answered at once if the revision is here, and names the one that is shown",
        arguments: ["/levels/", "/levels/a", "/detail/a", "/document", "/levels/?fields=*", "/levels/?pretty=true"])
    func here(_ target: String) throws {
        let desk = try Self.desk()
        let plain = desk.get(target)
        #expect(plain.header("Drilldown-Revision") == nil)
        // From the second time on it may be kept.
        for _ in 0..<3 {
            for revision in ["db-7", "db-1"] {
                let answer = desk.get(target, [("Drilldown-Revision", revision)])
                #expect(answer.body == plain.body)
                #expect(answer.headers == plain.headers + ["Drilldown-Revision: db-7"])
                let parameter = desk.get(target + (target.contains("?") ? "&" : "?") + "revision=\(revision)")
                #expect(parameter == answer)
                let tag = [("Drilldown-Revision", revision), ("If-None-Match", plain.entityTag)]
                let same = desk.get(target, tag)
                #expect(same.status == 304)
                #expect(same.headers == plain.keepingLines + ["Drilldown-Revision: db-7"])
            }
        }
        #expect(desk.get(target) == plain)
    }

    @Test("waits for a revision that is not here yet, and is answered from that one or a later one")
    func awaited() throws {
        let desk = try Self.desk()
        let waiters = try [("db-8", "/detail/b"), ("db-9", "/levels/"), ("db-10", "/document"), ("db-11", "/levels/")]
            .map { revision, target in
                let waiter: Waiter? = Self.ask(desk, target, revision).waiter
                return try #require(waiter)
            }
        desk.api.publish(try Self.snapshot(#"["a","b"]"#, "db-8"))
        #expect(waiters.map(\.hasEnded) == [true, false, false, false])
        let first = Answer(try #require(waiters[0].response))
        #expect(first == desk.get("/detail/b", [("Drilldown-Revision", "db-8")]))
        #expect(first.header("Drilldown-Revision") == "db-8")
        // Revisions 9 and 10 come as one.
        desk.api.publish(try Self.snapshot(#"["a","b","c"]"#, "db-10"))
        #expect(waiters.map(\.hasEnded) == [true, true, true, false])
        #expect(Answer(try #require(waiters[1].response)) == desk.get("/levels/?revision=db-9"))
        #expect(Answer(try #require(waiters[1].response)).header("Drilldown-Revision") == "db-10")
        #expect(Answer(try #require(waiters[2].response)) == desk.get("/document?revision=db-9"))
        desk.api.publish(try Self.snapshot(#"["a"]"#, "db-11"))
        #expect(Answer(try #require(waiters[3].response)) == desk.get("/levels/?revision=db-11"))
    }

    @Test("is 503 with the revision that is here if the other one does not come in time")
    func late() throws {
        let desk = try Self.desk()
        let request = Request(target: "/levels/?wait=1&revision=db-9", fields: [])
        let waiter = try #require(desk.api.respond(to: request).waiter)
        desk.api.publish(try Self.snapshot(#"["a","b"]"#, "db-8"))
        #expect(!waiter.hasEnded)
        waiter.expire()
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 503)
        #expect(answer.headers == Answer.problemHeaders + ["Retry-After: 1"])
        #expect(
            answer.line == """
                {"type":"/problems/revision-not-here","title":"Revision not here","status":503,\
                "detail":"The revision 'db-9' has not arrived here yet; the newest is 'db-8'. Try again later.",\
                "instance":"/levels/?wait=1&revision=db-9","revision":"db-8"}
                """)
        // It waits no longer.
        desk.api.publish(try Self.snapshot(#"["a","b","c"]"#, "db-9"))
        #expect(Answer(try #require(waiter.response)) == answer)
        #expect(desk.api.room.count == 0)
    }

    @Test(
        "is 410 for a revision of another history, at once and while it waits",
        arguments: ["other-1", "db", "db-", "db-x", "db-7-1", "-7", "db-99999999999999999999"])
    func gone(_ revision: String) throws {
        let desk = try Self.desk()
        let answer = desk.get("/detail/a", [("Drilldown-Revision", revision)])
        #expect(answer.status == 410)
        #expect(
            answer.line == """
                {"type":"/problems/revision-gone","title":"Revision gone","status":410,\
                "detail":"The revision '\(revision)' is not part of the history of the document, in which 'db-7' is the newest \
                revision. Reload what you show, and continue from 'db-7'.","instance":"/detail/a","reset":true,\
                "revision":"db-7"}
                """)
        let waiter = try #require(Self.ask(desk, "/detail/a", "db-8").waiter)
        desk.api.publish(try Self.snapshot(#"["a"]"#, "new-1"))
        #expect(Answer(try #require(waiter.response)).status == 410)
    }

    @Test("may also wait for a change after that, in the same time, and hears the revision with it")
    func change() throws {
        let desk = try Self.desk()
        let tag = desk.get("/levels/").entityTag
        let fields = [(name: "If-None-Match", value: tag), ("Prefer", "wait=30")]
        let waiter = try #require(Self.ask(desk, "/levels/", "db-8", fields).waiter)
        desk.api.publish(try Self.snapshot(#"[{"Title":"a","Texts":["new"]}]"#, "db-8"))
        #expect(!waiter.hasEnded)
        desk.api.publish(try Self.snapshot(#"["a","b"]"#, "db-9"))
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 200)
        #expect(
            answer.headers == desk.get("/levels/").headers + [
                "Preference-Applied: wait=30", "Drilldown-Revision: db-9",
            ])
        let other = try #require(
            Self.ask(desk, "/levels/", "db-9", [("If-None-Match", answer.entityTag), ("Prefer", "wait=30")]).waiter)
        other.expire()
        let same = Answer(try #require(other.response))
        #expect(same.status == 304)
        #expect(same.header("Drilldown-Revision") == "db-9")
    }

    @Test("of an item that the revision does not have is 404, and a wrong parameter is 400 without a wait")
    func problems() throws {
        let desk = try Self.desk()
        let waiter = try #require(Self.ask(desk, "/levels/x", "db-8").waiter)
        #expect(desk.get("/levels/x?revision=db-9&limit=x").status == 400)
        desk.api.publish(try Self.snapshot(#"["a","b"]"#, "db-8"))
        #expect(Answer(try #require(waiter.response)) == desk.get("/levels/x"))
    }

    @Test("is the one in the query if the header names another, newer or older")
    func queryBesideHeader() throws {
        let desk = try Self.desk()
        for header in ["db-9", "other-1", "db-1"] {
            try #require(Self.ask(desk, "/levels/?revision=db-7", header).waiter == nil)
            let answer = desk.get("/levels/?revision=db-7", [("Drilldown-Revision", header)])
            #expect(answer == desk.get("/levels/?revision=db-7"))
            let waiter = try #require(Self.ask(desk, "/levels/?revision=db-8", header).waiter)
            waiter.clientHasGone()
        }
        #expect(desk.get("/levels/?revision=other-1", [("Drilldown-Revision", "db-7")]).status == 410)
        // The link 'follow' counts alone.
        try #require(Self.ask(desk, "/levels/?since=x&wait=20&format=json", "db-9").waiter == nil)
        // A wait is not without effect beside a revision.
        #expect(!desk.get("/levels/?wait=3&revision=db-7").text.contains("hints"))
    }

    @Test(
        arguments: [
            ("/levels/?revision=db-9", [], 5), ("/levels/?revision=db-9&wait=2", [], 2),
            ("/levels/?revision=db-9", [("Prefer", "wait=9")], 9), ("/levels/?wait=7", [("If-None-Match", "*")], 7),
            ("/levels/", [("If-None-Match", "*"), ("Prefer", "wait=400")], 300), ("/changes?wait=7", [], 7),
            ("/changes?since=db-9&wait=30", [], 5), ("/changes?since=db-9", [], 5),
        ] as [(String, [(name: String, value: String)], Int64)])
    func `a wait is as long as the request says, and 5 seconds if it says nothing`(
        _ target: String, _ fields: [(name: String, value: String)], _ seconds: Int64
    ) throws {
        let desk = try Self.desk()
        let start = ExactClock.now
        let waiter = try #require(desk.api.respond(to: Request(target: target, fields: fields)).waiter)
        #expect(waiter.deadline >= start + seconds * 1_000)
        // A wait is longer by at most 5 %.
        #expect(waiter.deadline <= ExactClock.now + seconds * 1_050 + 2)
        waiter.clientHasGone()
    }

    @Test func `a turn that ends without the revision is 503`() throws {
        let time = Guarded(1_000_000)
        let desk = try Desk(Self.snapshot(#"["a"]"#, "db-7")) { configuration in
            configuration.now = { time.withLock(\.self) }
            configuration.checksEachSecond = false
        }
        let target = "/levels/?since=x&wait=1&turn=7&revision=db-9"
        let waiter = try #require(desk.api.respond(to: Request(target: target)).waiter)
        time.withLock { $0 = 1_060_000 }
        desk.api.groups.checkTurns()
        #expect(Answer(try #require(waiter.response)).text.contains("/problems/revision-not-here"))
    }

    @Test("takes a place among the waiters, and returns it")
    func places() throws {
        let desk = try Self.desk(waiters: 1)
        let waiter = try #require(Self.ask(desk, "/levels/", "db-8").waiter)
        #expect(desk.get("/levels/?revision=db-8").status == 503)
        waiter.clientHasGone()
        try #require(Self.ask(desk, "/levels/", "db-8").waiter).clientHasGone()
    }

    @Test("is ignored in the header of a document in a file, and refused in the query")
    func file() throws {
        let desk = try Desk(#"["a"]"#)
        for revision in ["k3-1", "k3-9", "other-1", ""] {
            #expect(desk.get("/levels/", [("Drilldown-Revision", revision)]) == desk.get("/levels/"))
        }
        let answer = desk.get("/detail/a?revision=k3-1")
        #expect(answer.status == 400)
        #expect(
            answer.line == """
                {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,\
                "detail":"'revision' applies only to a document in a database; omit it.",\
                "instance":"/detail/a?revision=k3-1","parameter":"revision"}
                """)
    }

    @Test("follows each edit, whose answer names the revision that contains it")
    func edits() throws {
        let desk = EditDesk(try Self.snapshot(#"["a"]"#, "k3-1"))
        func revision(_ answer: Answer) -> String? { answer.header("Drilldown-Revision") }
        #expect(revision(desk.send(.post, "/levels/", #""b""#)) == "k3-2")
        #expect(revision(desk.send(.patch, "/detail/b", #"{"Text":"x"}"#)) == "k3-3")
        #expect(revision(desk.send(.patch, "/detail/b", #"{"Text":"x"}"#)) == "k3-3")
        #expect(revision(desk.send(.post, "/moves", #"{"from":"/detail/b","to":"/levels/","at":"first"}"#)) == "k3-4")
        #expect(revision(desk.send(.post, "/edits", #"{"edits":[{"delete":"/detail/a"}]}"#)) == "k3-5")
        #expect(revision(desk.send(.delete, "/detail/b")) == "k3-6")
        #expect(revision(desk.send(.put, "/document", #"["c"]"#)) == "k3-7")
        #expect(revision(desk.send(.post, "/reload")) == "k3-7")
        #expect(revision(desk.send(.delete, "/detail/b")) == nil)
        #expect(revision(try EditDesk(#"["a"]"#).send(.post, "/levels/", #""b""#)) == nil)
    }

    @Test(arguments: [
        ("/detail/a", "k3-2", 503), ("/detail/a", "other-1", 410), ("/detail/a?revision=k3-2", "k3-1", 503),
        ("/detail/a?revision=k3-1", "k3-2", 204),
    ])
    func `an edit is refused if its revision is not here`(_ target: String, _ header: String, _ status: Int) throws {
        let desk = EditDesk(try Self.snapshot(#"["a"]"#, "k3-1"))
        #expect(desk.send(.delete, target, nil, [(AskedRevision.field, header)]).status == status)
        #expect(desk.get("/detail/a").status == (status == 204 ? 404 : 200))
    }
}
