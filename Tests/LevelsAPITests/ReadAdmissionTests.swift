import HTTPServer
import Levels
import LevelsAPI
import Locking
import Testing
import TreeStore

/// Reading with a token (manual, Monitoring and protection).
@Suite struct ReadAdmissionTests {
    private static let reader = "reader-0123456789"
    private static let editor = "editor-0123456789"

    private func desk(
        _ tokens: String = "\(reader)\n", origins: AllowedOrigins = .none, lastError: String? = nil,
        log: @escaping @Sendable (TokenEvent) -> Void = { _ in }
    ) throws -> Desk {
        let publications = Publications(first: try Desk.snapshot(#"{"Rows":["One"]}"#))
        var configuration = LevelsAPI.Configuration()
        configuration.allowedOrigins = origins
        let known = AccessTokens(Array(tokens.utf8))
        configuration.reading = TokenAccess(log: log) { known }
        configuration.editing = LevelsAPI.Editing(
            editor: MemoryEditor(publications: publications, outcome: nil, reloadOutcome: nil),
            access: TokenAccess { AccessTokens(Array(Self.editor.utf8)) })
        return Desk(
            api: LevelsAPI(publications: publications, configuration: configuration) {
                Readiness(source: "Data.plist", lastError: lastError)
            })
    }

    private static let guarded = [
        "/levels/", "/levels/?wait=1", "/detail/One", "/document", "/assets/a", "/problems", "/problems/conflict",
        "/changes", "/metrics", "/nowhere", "/levels/Nothing", "/levels/?x=y", "/healthzx",
    ]

    @Test("Without a token, only open resources are answered", arguments: guarded)
    func missing(target: String) throws {
        for method in [HTTPServer.Method.get, .head] {
            let answer = try desk().ask(method, target)
            #expect(answer.status == 401)
            #expect(answer.headers == Answer.problemHeaders + ["WWW-Authenticate: Bearer"])
            #expect(
                answer.line == """
                    {"type":"/problems/unauthorized","title":"Unauthorized","status":401,"detail":"Reading needs a token \
                    here; send the header field 'Authorization: Bearer TOKEN'.","instance":"\(target)"}
                    """)
        }
    }

    @Test("A read token and an edit token pass; a wrong one is 401", arguments: guarded)
    func tokens(target: String) throws {
        let desk = try desk()
        for token in [Self.reader, Self.editor] {
            let answer = desk.get(target, [("Authorization", "Bearer \(token)")])
            #expect(answer.status != 401)
        }
        for value in ["Bearer \(Self.reader)x", "Bearer ", "Basic \(Self.reader)", Self.reader] {
            #expect(desk.get(target, [("Authorization", value)]).status == 401)
        }
    }

    @Test("Open resources stay open, and preflights pass")
    func open() throws {
        let desk = try desk(origins: AllowedOrigins("https://app.example"))
        for target in ["/", "/healthz", "/readyz", "/readyz/"] { #expect(desk.get(target).status == 200) }
        let preflight = desk.ask(
            .options, "/levels/", [("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET")])
        #expect(preflight.status == 204)
        #expect(preflight.header("Access-Control-Allow-Origin") == "https://app.example")
        let refused = desk.get("/levels/", [("Origin", "https://app.example")])
        #expect(refused.status == 401)
        #expect(refused.header("Access-Control-Allow-Origin") == "https://app.example")
    }

    private static let values = [nil, "Bearer \(reader)x", "Basic \(reader)"]

    @Test("The index shows a client without a token the links alone", arguments: values)
    func index(_ value: String?) throws {
        let desk = try desk()
        let answer = desk.get("/", value.map { [("Authorization", $0)] } ?? [])
        #expect(answer.status == 200)
        #expect(answer.header("Vary") == "Accept-Encoding, Accept, Authorization")
        #expect(
            answer.line == #"""
                {"links":{"levels":"/levels/","detail":"/detail/","document":"/document","changes":"/changes",\#
                "openapi":"/openapi.json","health":"/healthz","readiness":"/readyz"}}
                """#)
        for token in [Self.reader, Self.editor] {
            let whole = desk.get("/", [("Authorization", "Bearer \(token)"), ("If-None-Match", answer.entityTag)])
            #expect(whole.status == 200)
            #expect(whole.header("Vary") == "Accept-Encoding, Accept, Authorization")
            #expect(whole.line.hasPrefix(#"{"title":"Root","items":1,"revision":"k3-1","editable":true,"links":{"#))
        }
    }

    @Test("Readiness shows a client without a token the status alone", arguments: values)
    func readiness(_ value: String?) throws {
        let fields = value.map { [("Authorization", $0)] } ?? []
        #expect(try desk().get("/readyz", fields).line == #"{"status":"ok"}"#)
        let stale = try desk(lastError: "Data.plist:3:5: 'Secret' is broken.")
        #expect(stale.get("/readyz", fields).line == #"{"status":"stale"}"#)
        for token in [Self.reader, Self.editor] {
            #expect(
                stale.get("/readyz", [("Authorization", "Bearer \(token)")]).line == """
                    {"status":"stale","revision":"k3-1","source":"Data.plist","loadedAt":"2023-11-14T22:13:20Z",\
                    "items":1,"lastError":"Data.plist:3:5: 'Secret' is broken."}
                    """)
        }
    }

    @Test("Wrong tokens count at open resources, too, which are answered all the same")
    func guesses() throws {
        let desk = try desk()
        for _ in 0..<110 { #expect(desk.get("/readyz", [("Authorization", "Bearer wrong")]).status == 200) }
        #expect(desk.get("/levels/", [("Authorization", "Bearer wrong")]).status == 429)
    }

    @Test("A cached answer needs the token as well, and is private")
    func cached() throws {
        let desk = try desk()
        for _ in 0..<3 {
            let answer = desk.get("/levels/", [("Authorization", "bearer \(Self.reader)")])
            #expect(answer.status == 200)
            #expect(answer.header("Cache-Control") == "private, no-cache")
        }
        #expect(desk.get("/levels/").status == 401)
    }

    @Test("A read token does not allow edits")
    func edits() throws {
        let desk = try desk()
        func post(_ token: String?) -> Int {
            var fields = [(name: "Content-Type", value: "application/json"), (name: "Content-Length", value: "3")]
            if let token { fields.append(("Authorization", "Bearer \(token)")) }
            let request = Request(method: .post, target: "/levels/", fields: fields, body: Array(#""x""#.utf8))
            return desk.api.responder.refusal(of: request)?.status ?? desk.api.response(to: request).status
        }
        #expect(post(nil) == 401)
        #expect(post(Self.reader) == 403)
        #expect(post(Self.editor) == 201)
    }

    @Test("An empty file takes every read token back; edit tokens still read")
    func empty() throws {
        let desk = try desk("")
        #expect(desk.get("/levels/", [("Authorization", "Bearer \(Self.reader)")]).status == 401)
        #expect(desk.get("/levels/", [("Authorization", "Bearer \(Self.editor)")]).status == 200)
    }

    @Test("Many wrong tokens are answered with 429, and the right one passes")
    func burst() throws {
        let told = Guarded<[TokenEvent]>([])
        let desk = try desk { event in told.withLock { $0.append(event) } }
        let statuses = (0..<120).map { _ in desk.get("/levels/", [("Authorization", "Bearer wrong")]).status }
        #expect(statuses.prefix(100).allSatisfy { $0 == 401 })
        #expect(statuses.last == 429)
        #expect(told.withLock { $0 } == [.wrongTokens(address: "127.0.0.1")])
        #expect(desk.get("/levels/", [("Authorization", "Bearer \(Self.reader)")]).status == 200)
    }

    @Test("Directives that share answers are found")
    func sharing() {
        var configuration = LevelsAPI.Configuration()
        for (value, isShared) in [
            ("no-cache", false), ("public", true), ("max-age=5, Public", true), ("s-maxage=5", true),
            ("publicity", false),
        ] {
            configuration.cacheControl = value
            #expect(configuration.sharesAnswers == isShared)
        }
    }

    @Test("The identifier of a request is the last member of a fault's problem")
    func identifier() throws {
        let desk = try Desk("[]")
        let problem = desk.api.responder.response(to: .badRequest("It is bad.", status: 501), target: "/")
        #expect(
            Answer(desk.api.responder.response(problem, naming: "c0ffee")).line == """
                {"type":"/problems/not-implemented","title":"Not implemented","status":501,"detail":"It is bad.",\
                "instance":"/","id":"c0ffee"}
                """)
        let other = Response(status: 500, headers: [("Content-Type", "text/plain")], body: Array("}\n".utf8))
        #expect(Answer(desk.api.responder.response(other, naming: "c0ffee")).text == "}\n")
    }
}
