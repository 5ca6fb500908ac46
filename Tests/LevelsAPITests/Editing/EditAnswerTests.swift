import HTTPServer
import Testing
import TreeSources
import TreeStore

@testable import LevelsAPI

/// The answer to an edit (manual, Editing).
@Suite struct EditAnswerTests {
    private static let document = #"{"Rows":["One",{"Title":"Branch","Rows":["Only"]},"Two"]}"#

    private func expectDetail(
        _ answer: Answer, of link: String, status: Int, in desk: EditDesk, _ fields: [(String, String)] = []
    ) {
        let shown = desk.get(link, fields)
        #expect(shown.status == 200)
        #expect(answer.status == status)
        #expect(answer.body == shown.body)
        let location = status == 201 ? ["Location: \(link)"] : []
        #expect(answer.headers == shown.headers + ["Content-Location: \(link)"] + location)
    }

    @Test("A new item is 201 with the answer that a GET of it gives, tag and all")
    func insert() throws {
        let desk = try EditDesk(Self.document)
        for (target, body, link) in [
            ("/levels?at=last", #""a b""#, "/detail/a%20b"),
            ("/levels/?at=first", #"{"Title":"x/y"}"#, "/detail/x%2Fy"),
            ("/levels/Branch?at=before:Only&section=0", #""b""#, "/detail/Branch/b"),
            ("/levels/One/?at=0", #"{"Title":"c","Rows":["d"]}"#, "/detail/One/c"),
        ] {
            expectDetail(desk.send(.post, target, body), of: link, status: 201, in: desk)
        }
        #expect(desk.get("/levels/?fields=").text.contains(#""count":5"#))
    }

    @Test("The answer has the format and the coding that the request prefers")
    func negotiated() throws {
        let desk = try EditDesk(Self.document)
        for (index, fields) in [
            [("Accept", "application/x-plist")], [("Accept-Encoding", "gzip")],
            [("Accept-Encoding", "br"), ("Accept", "application/x-plist")],
        ].enumerated() {
            let body = #"{"Text":"\#(String(repeating: "text ", count: 200 + index))"}"#
            let answer = desk.send(.patch, "/detail/One", body, fields)
            expectDetail(answer, of: "/detail/One", status: 200, in: desk, fields)
        }
    }

    @Test("A client that accepts no coding of the detail gets it all the same, because the edit is done")
    func unsendable() throws {
        let desk = try EditDesk(Self.document)
        for (method, target, body, link, status) in [
            (.patch, "/detail/One", #"{"Text":"t"}"#, "/detail/One", 200),
            (.post, "/levels/", #""new""#, "/detail/new", 201),
        ] as [(Method, String, String, String, Int)] {
            let answer = desk.send(method, target, body, [("Accept-Encoding", "identity;q=0, x")])
            expectDetail(answer, of: link, status: status, in: desk)
        }
    }

    @Test("A changed item is 200 at its new place, and one that PUT makes is 201")
    func change() throws {
        let desk = try EditDesk(Self.document)
        for (method, target, body, link, status) in [
            (.patch, "/detail/One", #"{"Text":"t"}"#, "/detail/One", 200),
            (.patch, "/detail/One/", #"{"Title":"Eins"}"#, "/detail/Eins", 200),
            (.put, "/detail/Eins", #"{"Title":"Uno"}"#, "/detail/Uno", 200),
            (.put, "/detail/Branch/new", #"{"Title":"new"}"#, "/detail/Branch/new", 201),
            (.put, "/detail/named", #"{"Title":"A title"}"#, "/detail/named", 201),
            (.post, "/moves", #"{"from":"/detail/Two","to":"/levels/Branch","at":"first"}"#, "/detail/Branch/Two", 200),
            (.post, "/moves", #"{"from":"/detail/Branch/Two","to":"/levels/"}"#, "/detail/Two", 200),
        ] as [(Method, String, String, String, Int)] {
            expectDetail(desk.send(method, target, body), of: link, status: status, in: desk)
        }
    }

    @Test("A deletion is 204 without a body")
    func delete() throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(.delete, "/detail/Branch")
        #expect(answer.status == 204)
        #expect(answer.headers == ["Cache-Control: no-store"])
        #expect(answer.body.isEmpty)
        #expect(desk.get("/detail/Branch").status == 404)
    }

    @Test("Several edits are one revision, and link to their items as they are after all of them")
    func steps() throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(
            .post, "/edits",
            #"""
            {"edits":[{"insert":"x","to":"/levels/Branch","at":"after:Only","section":0},
            {"patch":{"Title":"Twig"},"of":"/detail/Branch"},{"put":{"Title":"y"},"of":"/detail/y"},
            {"move":"/detail/y","to":"/levels/Twig","at":0},{"delete":"/detail/Two"}]}
            """#)
        #expect(answer.status == 200)
        #expect(answer.headers == Answer.unstoredHeaders)
        #expect(
            answer.line == """
                {"revision":"k3-2","edits":[{"href":"/detail/Twig/x"},{"href":"/detail/Twig"},{"href":"/detail/Twig/y"},\
                {"href":"/detail/Twig/y"},null]}
                """)
        for link in ["/detail/Twig/x", "/detail/Twig/y"] { #expect(desk.get(link).status == 200) }
    }

    @Test("The item of a step that a later one removes is null, also if it goes with an item above it")
    func removedLater() throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(
            .post, "/edits",
            #"""
            {"edits":[{"insert":"x","to":"/levels/Branch"},{"patch":{"a":1},"of":"/detail/One"},
            {"move":"/detail/Two","to":"/levels/Branch"},{"delete":"/detail/One"},{"delete":"/detail/Branch"},
            {"insert":"One","to":"/levels/"}]}
            """#)
        #expect(
            answer.line
                == #"{"revision":"k3-2","edits":[null,null,null,null,null,{"href":"/detail/One"}]}"#)
        // Another row is where the removed one was.
        let other = try EditDesk(Self.document)
        let steps = #"{"edits":[{"patch":{"a":1},"of":"/detail/One"},{"delete":"/detail/One"}]}"#
        #expect(other.send(.post, "/edits", steps).line == #"{"revision":"k3-2","edits":[null,null]}"#)
    }

    @Test("A new document is 200 with its revision and the tag that a GET of it has")
    func document() throws {
        let desk = try EditDesk(Self.document)
        let tag = desk.get("/document").entityTag
        let answer = desk.send(.put, "/document", #"{"Rows":["a",{"Title":"b","Rows":["c"]}]}"#, [("If-Match", tag)])
        #expect(answer.status == 200)
        #expect(answer.line == #"{"revision":"k3-2","items":3}"#)
        #expect(answer.entityTag == desk.get("/document").entityTag)
        #expect(answer.entityTag != tag)
    }

    @Test("An edit that changes nothing is answered alike, with the revision that there is")
    func nothing() throws {
        let desk = try EditDesk(Self.document)
        expectDetail(desk.send(.patch, "/detail/One", "{}"), of: "/detail/One", status: 200, in: desk)
        let steps = #"{"edits":[{"patch":{},"of":"/detail/One"}]}"#
        #expect(desk.send(.post, "/edits", steps).line == #"{"revision":"k3-1","edits":[{"href":"/detail/One"}]}"#)
    }

    @Test(
        "A property list is a body too, with exact types",
        arguments: ["application/x-plist", "Application/X-Plist; charset=utf-8"])
    func propertyList(_ type: String) throws {
        let desk = try EditDesk(Self.document)
        let body =
            "<plist><dict><key>Title</key><string>p</string><key>D</key><date>2001-03-12T00:00:00Z</date></dict></plist>"
        let answer = desk.send(.post, "/levels/", body, type: type)
        expectDetail(answer, of: "/detail/p", status: 201, in: desk)
        #expect(desk.get("/document?format=plist").text.contains("<date>2001-03-12T00:00:00Z</date>"))
    }

    @Test("Waiting requests, and clients with an older version, get an edit like any other change")
    func waiters() throws {
        let desk = try EditDesk(Self.document)
        let old = desk.get("/levels/")
        let tag = old.entityTag
        let request = Request(target: "/levels/", fields: [("If-None-Match", tag), ("Prefer", "wait=30")])
        let poll = try #require(desk.desk.api.respond(to: request).waiter)
        let changes = try #require(
            desk.desk.api.respond(to: Request(target: "/changes?since=k3-1&wait=30")).waiter)
        _ = desk.send(.post, "/levels/", #""new""#)
        #expect(poll.response.map { Answer($0).text.contains(#""key":"new""#) } == true)
        #expect(
            changes.response.map { Answer($0).line } == """
                {"revision":"k3-2","since":"k3-1","reset":false,"changes":[{"revision":"k3-2",\
                "at":"2023-11-14T22:13:20Z","by":"edit alice","levels":["/levels/","/levels/new"],\
                "details":["/detail/","/detail/new"]}]}
                """)
        let since = desk.get("/levels/?since=\(tag.dropFirst().dropLast())")
        #expect(since.shape.contains(#""removed":[],"inserted":[{"at":3,"row":{"key":"new""#))
    }

    @Test("A token without a name is logged without one")
    func nameless() throws {
        let desk = try EditDesk(Self.document)
        #expect(desk.send(.post, "/levels/", #""new""#, token: EditDesk.plain).status == 201)
        #expect(desk.get("/changes?since=k3-1").text.contains(#""by":"edit","levels""#))
    }

    @Test("A reload reports whether it found anything new")
    func reload() throws {
        let snapshot = try Desk.snapshot(Self.document)
        for (outcome, status, line) in [
            (.published(snapshot), 200, #"{"outcome":"published","revision":"k3-1"}"#),
            (.unchanged(snapshot), 200, #"{"outcome":"unchanged","revision":"k3-1"}"#),
            (
                .refused(SourceError("Data.plist", reason: "it is empty")), 422,
                """
                {"type":"/problems/document-refused","title":"Document refused","status":422,\
                "detail":"Data.plist: it is empty. The version before is still served.","instance":"/reload"}
                """
            ),
            (
                .stopped, 503,
                """
                {"type":"/problems/stopping","title":"Stopping","status":503,"detail":"The server is stopping, \
                and nothing has changed. Try again later.","instance":"/reload"}
                """
            ),
        ] as [(ReloadOutcome, Int, String)] {
            let answer = try EditDesk(Self.document, reloadOutcome: outcome).send(.post, "/reload")
            #expect(answer.status == status)
            #expect(answer.line == line)
        }
    }

    @Test("A link that is too long for the header is only in the body")
    func longLink() throws {
        let desk = try EditDesk(Self.document)
        for (length, isSent) in [(2_040, true), (2_041, false)] {
            let title = String(repeating: "t", count: length)
            let made = desk.send(.post, "/levels/", #""\#(title)""#)
            #expect(made.status == 201)
            let links = ["Content-Location: /detail/\(title)", "Location: /detail/\(title)"]
            #expect(made.headers.filter { $0.contains("ocation: ") } == (isSent ? links : []))
            #expect(made.text.contains(#""href":"/detail/\#(title)""#))
            let changed = desk.send(.patch, "/detail/\(title)", #"{"Text":"x"}"#)
            #expect(changed.headers.filter { $0.contains("ocation: ") } == (isSent ? [links[0]] : []))
        }
    }

    @Test("The format of a new document is detected from its content", arguments: ["json", "x-plist"])
    func documentType(_ type: String) throws {
        for body in [#"["x"]"#, "<plist><array><string>x</string></array></plist>"] {
            let desk = try EditDesk(Self.document)
            let answer = desk.send(.put, "/document", body, type: "application/\(type)")
            #expect(answer.line == #"{"revision":"k3-2","items":1}"#)
        }
    }
}
