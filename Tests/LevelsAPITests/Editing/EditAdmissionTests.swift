import HTTPServer
import LevelsAPI
import Locking
import Testing
import TreeStore

/// The right to edit, and the refusals before a body is read (manual, Editing).
@Suite struct EditAdmissionTests {
    private static let document = #"{"Rows":["One",{"Title":"Branch","Rows":["Only"]}]}"#
    private static let edits: [(method: HTTPServer.Method, target: String, body: String?)] = [
        (.post, "/levels/Branch?at=first", #""x""#), (.put, "/detail/One", #"{"Title":"One"}"#),
        (.patch, "/detail/One", #"{"a":1}"#), (.delete, "/detail/One", nil),
        (.post, "/moves", #"{"from":"/detail/One","to":"/levels/Branch"}"#),
        (.post, "/edits", #"{"edits":[{"delete":"/detail/One"}]}"#), (.put, "/document", #"["x"]"#),
        (.post, "/reload", nil),
    ]

    private func expect(
        _ answer: Answer, _ status: Int, _ name: String, _ title: String, _ detail: String, at target: String,
        _ headers: [String] = []
    ) {
        #expect(answer.status == status)
        #expect(answer.headers == Answer.problemHeaders + headers)
        #expect(
            answer.line == """
                {"type":"/problems/\(name)","title":"\(title)","status":\(status),"detail":"\(detail)",\
                "instance":"\(target)"}
                """)
    }

    @Test(
        "Without edit tokens there is no editing: every edit is 403, with or without a token",
        arguments: [nil, "", "# none\n"])
    func off(_ tokens: String?) throws {
        let desk = try EditDesk(Self.document, tokens: tokens)
        #expect(desk.get("/").text.contains(#""editable":false"#))
        for edit in Self.edits {
            for token in [nil, EditDesk.alice] {
                expect(
                    desk.send(edit.method, edit.target, edit.body, token: token), 403, "editing-off", "Editing off",
                    "Editing is off, because this server has no edit token; its operator can set --edit-token-file.",
                    at: edit.target)
            }
        }
    }

    @Test("An edit without a token is 401, with a wrong one 403, and neither says a token")
    func tokens() throws {
        let desk = try EditDesk(Self.document)
        #expect(desk.get("/").text.contains(#""editable":true"#))
        for edit in Self.edits {
            expect(
                desk.send(edit.method, edit.target, edit.body, token: nil), 401, "unauthorized", "Unauthorized",
                "An edit needs a token; send the header field 'Authorization: Bearer TOKEN'.", at: edit.target,
                ["WWW-Authenticate: Bearer"])
            expect(
                desk.send(edit.method, edit.target, edit.body, token: "wrong-0123456789"), 403, "wrong-token",
                "Wrong token", "The token in Authorization does not allow edits here.", at: edit.target)
        }
        #expect(desk.get("/changes?since=k3-1").text.contains(#""changes":[]"#))
    }

    @Test("Only the very token passes, in any case of the scheme")
    func credentials() throws {
        let desk = try EditDesk(Self.document)
        func status(_ values: [String]) -> Int {
            desk.send(.patch, "/detail/One", "{}", token: nil, values.map { ("Authorization", $0) }).status
        }
        let token = EditDesk.alice
        for value in ["Bearer \(token)", "bearer  \(token)", "BEARER \(token)"] { #expect(status([value]) == 200) }
        for value in ["Basic YWxpY2U6eA==", "Token \(token)", token, "Bearer", "Bearer ", "Bearer\t\(token)"] {
            #expect(status([value]) == 401)
        }
        #expect(status(["Bearer \(token)", "Bearer \(token)"]) == 401)
        for wrong in [
            "\(token)x", String(token.dropLast()), token.uppercased(), "alice \(token)", "\(token) \(EditDesk.plain)",
            "alice", "x", token + token, String(repeating: "0", count: 5_000),
        ] { #expect(status(["Bearer \(wrong)"]) == 403) }
    }

    @Test("A burst of wrong tokens from an address is 429, but not the right one, and no other address")
    func burst() throws {
        let desk = try EditDesk(Self.document)
        func send(_ token: String, _ peer: String) -> Answer {
            desk.send(.delete, "/detail/x", token: token, peer: peer)
        }
        let statuses = (0..<300).map { _ in send("wrong-0123456789", "192.0.2.1").status }
        #expect(statuses.prefix(100).allSatisfy { $0 == 403 })
        #expect(statuses.suffix(100).contains(429))
        let answer = (0..<10).map { _ in send("wrong-0123456789", "192.0.2.1") }.first { $0.status == 429 }
        expect(
            try #require(answer), 429, "too-many-attempts", "Too many attempts",
            "Too many wrong tokens came from this address. Try again after 1 second, with a token that is known here.",
            at: "/detail/x", ["Retry-After: 1"])
        #expect(send(EditDesk.alice, "192.0.2.1").status == 404)
        #expect(send("wrong-0123456789", "192.0.2.2").status == 403)
    }

    @Test("A page may edit if it is the server's own or of a listed origin; an asterisk lets pages only read")
    func origins() throws {
        let (own, listed) = ("http://h.example:8080", "https://a.example")
        for (origins, sent, host, status) in [
            ("", own, "h.example:8080", 200), ("", "https://h.example", "H.example", 200),
            ("", "http://h.example", "h.example:80", 200), ("", "http://h.example:81", "h.example", 403),
            ("", listed, "h.example", 403), ("", "null", "h.example", 403), ("*", listed, "h.example", 403),
            ("*", own, "h.example:8080", 200), (listed, listed, "h.example", 200),
            (listed, "https://b.example", "h.example", 403), (listed, own, "h.example:8080", 200),
        ] {
            let desk = try EditDesk(Self.document, origins: AllowedOrigins(origins))
            let answer = desk.send(.patch, "/detail/One", "{}", [("Origin", sent), ("Host", host)])
            #expect(answer.status == status, "\(origins) \(sent) \(host)")
            if status == 403 { #expect(answer.line.contains(#""type":"/problems/foreign-origin""#)) }
        }
    }

    @Test("A browser is granted the methods of edits for a listed origin while editing is on, and otherwise of reading")
    func preflight() throws {
        for (origins, tokens, granted) in [
            ("https://a.example", EditDesk.alice, "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
            ("https://a.example", nil, "GET, HEAD, OPTIONS"), ("*", EditDesk.alice, "GET, HEAD, OPTIONS"),
        ] {
            let desk = try EditDesk(Self.document, tokens: tokens, origins: AllowedOrigins(origins))
            let answer = desk.send(
                .options, "/detail/One", token: nil,
                [("Origin", "https://a.example"), ("Access-Control-Request-Method", "PATCH")])
            #expect(answer.status == 204)
            #expect(answer.header("Allow") == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
            #expect(answer.header("Access-Control-Allow-Methods") == granted)
            #expect(
                answer.header("Access-Control-Allow-Headers") == """
                    If-None-Match, Prefer, Last-Event-ID, Accept, Content-Type, Authorization, If-Match, \
                    Cache-Control, Pragma, Drilldown-Revision
                    """)
        }
    }

    @Test("A body is refused before it is read: without a token, of another type, coded, or to no such method")
    func early() throws {
        let api = try EditDesk(Self.document).desk.api
        func refusal(
            _ method: HTTPServer.Method, _ target: String, _ type: String?, token: String? = EditDesk.alice,
            _ more: [(name: String, value: String)] = []
        ) -> Answer? {
            var fields = more + [(name: "Content-Length", value: "3")]
            if let type { fields.append(("Content-Type", type)) }
            if let token { fields.append(("Authorization", "Bearer \(token)")) }
            return api.responder.refusal(of: Request(method: method, target: target, fields: fields)).map { Answer($0) }
        }
        let json = "application/json"
        #expect(refusal(.post, "/levels/", json) == nil)
        #expect(refusal(.post, "/levels/", "Application/JSON ; charset=\"UTF-8\"") == nil)
        #expect(refusal(.put, "/detail/One", "application/x-plist") == nil)
        #expect(refusal(.put, "/detail/One", "application/x-plist; charset=utf-16") == nil)
        #expect(refusal(.patch, "/detail/One", "application/merge-patch+json") == nil)
        #expect(refusal(.delete, "/detail/One", "text/plain") == nil)
        #expect(refusal(.get, "/levels/", "text/plain") == nil)
        #expect(refusal(.post, "/levels/", json, token: nil)?.status == 401)
        #expect(refusal(.post, "/levels/", json, token: "wrong-0123456789")?.status == 403)
        #expect(refusal(.post, "/detail/One", json)?.header("Allow") == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
        #expect(refusal(.put, "/document/One", json)?.header("Allow") == "GET, HEAD, OPTIONS")
        #expect(refusal(.put, "/x", json)?.status == 404)
        for type in ["text/plain", "application/merge-patch+json", "nonsense", "", "application/json; charset=latin1"] {
            #expect(refusal(.post, "/levels/", type)?.status == 415)
        }
        #expect(refusal(.post, "/levels/", nil)?.status == 415)
        #expect(
            refusal(.post, "/levels/", json, [("Content-Encoding", "gzip")])?.header("Accept-Encoding") == "identity")
    }

    @Test("A token that is taken back while the body is read does not count any more")
    func takenBack() throws {
        let publications = Publications(first: try Desk.snapshot(Self.document))
        let tokens = Guarded(AccessTokens(Array(EditDesk.alice.utf8)))
        var configuration = LevelsAPI.Configuration()
        configuration.editing = LevelsAPI.Editing(
            editor: MemoryEditor(publications: publications, outcome: nil, reloadOutcome: nil),
            access: TokenAccess { tokens.withLock(\.self) })
        let desk = Desk(
            api: LevelsAPI(publications: publications, configuration: configuration) { Readiness(source: "Data.plist") }
        )
        let fields = [
            ("Content-Type", "application/json"), ("Content-Length", "2"),
            ("Authorization", "Bearer \(EditDesk.alice)"),
        ]
        let announced = Request(method: .patch, target: "/detail/One", fields: fields)
        let whole = Request(method: .patch, target: "/detail/One", fields: fields, body: Array("{}".utf8))
        #expect(desk.api.responder.refusal(of: announced) == nil)
        #expect(desk.api.response(to: whole).status == 200)
        tokens.withLock { $0 = AccessTokens(Array(EditDesk.plain.utf8)) }
        expect(
            Answer(desk.api.response(to: whole)), 403, "wrong-token", "Wrong token",
            "The token in Authorization does not allow edits here.", at: "/detail/One")
    }

    @Test("The types of a body are listed in the refusal of another type")
    func types() throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(.patch, "/detail/One", "x", type: "text/plain")
        let types = ["application/merge-patch+json", "application/json", "application/x-plist"]
        #expect(answer.headers == Answer.problemHeaders + ["Accept-Patch: \(types.joined(separator: ", "))"])
        #expect(
            answer.line == """
                {"type":"/problems/unsupported-media-type","title":"Unsupported media type","status":415,\
                "detail":"A body of the type 'text/plain' cannot be read; the types are \(types.joined(separator: ", ")).",\
                "instance":"/detail/One","allowed":["\(types.joined(separator: "\",\""))"]}
                """)
    }

    @Test("An edit that needs a body and announces none is 411")
    func length() throws {
        let desk = try EditDesk(Self.document)
        for edit in Self.edits where edit.body != nil {
            expect(
                desk.send(edit.method, edit.target), 411, "length-required", "Length required",
                "This request needs a body; send one, with Content-Length or in chunks.", at: edit.target)
        }
    }

    @Test("Only a whole document may be larger than any other body")
    func bodyLimit() throws {
        let api = try EditDesk(Self.document) { $0.maximumDocumentBytes = 5 }.desk.api
        #expect(api.responder.bodyLimit(of: Request(method: .put, target: "/document")) == 5)
        for (method, target) in [(.put, "/detail/One"), (.post, "/edits"), (.put, "/document/One"), (.put, "/x")]
            as [(HTTPServer.Method, String)]
        {
            #expect(api.responder.bodyLimit(of: Request(method: method, target: target)) == nil)
        }
    }
}
