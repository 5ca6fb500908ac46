import Locking
import Testing

@testable import HTTPServer

@Suite("The identifier of a request")
struct RequestIDTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    private func traceID(_ value: String...) -> String? {
        Request(target: "/", fields: value.map { ("traceparent", $0) }).traceID?.text
    }

    @Test("is the trace that a valid traceparent names")
    func valid() {
        #expect(traceID("00-\(Self.trace)-00f067aa0ba902b7-01") == Self.trace)
        #expect(traceID("00-\(Self.trace)-00f067aa0ba902b7-00") == Self.trace)
        #expect(traceID("cc-\(Self.trace)-00f067aa0ba902b7-01") == Self.trace)
        #expect(traceID("cc-\(Self.trace)-00f067aa0ba902b7-01-later") == Self.trace)
    }

    @Test("is not taken from an invalid traceparent")
    func invalid() {
        for value in [
            "", "x", "00-\(Self.trace)-00f067aa0ba902b7", "00-\(Self.trace)-00f067aa0ba902b7-01-later",
            "00-\(Self.trace)-00f067aa0ba902b7-011", "cc-\(Self.trace)-00f067aa0ba902b7-01x",
            "ff-\(Self.trace)-00f067aa0ba902b7-01", "00-\(Self.trace.uppercased())-00f067aa0ba902b7-01",
            "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01", "00-\(Self.trace)-0000000000000000-01",
            "00_\(Self.trace)_00f067aa0ba902b7_01", "00-\(Self.trace.dropLast())g-00f067aa0ba902b7-01",
        ] {
            #expect(traceID(value) == nil, "\(value)")
        }
        let valid = "00-\(Self.trace)-00f067aa0ba902b7-01"
        #expect(traceID(valid, valid) == nil)
        #expect(traceID() == nil)
    }

    @Test("is made if there is no trace: 32 digits, never the same")
    func made() {
        let ids = RequestIDs()
        let many = (0..<1_000).map { _ in ids.next().text }
        #expect(Set(many).count == 1_000)
        #expect(many.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    }

    @Test("is logged with each answer, and given to the responder for an internal fault")
    func logged() throws {
        let entries = Guarded<[AccessEntry]>([])
        let failures = Guarded<[String]>([])
        let responder = Echo(answer: { $0.targetText == "/bad" ? Echo.text("bad", status: 500) : Echo.text("fine") })
        let configuration = Server.Configuration.varied {
            $0.accessLog = { entry in entries.withLock { $0.append(entry) } }
            $0.faultLog = { failure in failures.withLock { $0.append("\(failure)") } }
        }
        try withClient(responder, configuration) { client in
            let field = "traceparent: 00-\(Self.trace)-00f067aa0ba902b7-01\r\n"
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            client.send("GET /bad HTTP/1.1\r\nHost: a\r\n\(field)Connection: close\r\n\r\n")
            _ = try client.readToEnd()
        }
        let ids = entries.withLock { $0.map(\.id) }
        #expect(ids.count == 3)
        #expect(ids.first == Self.trace && ids.last == Self.trace)
        #expect(ids.dropFirst().first.map { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil && $0 != Self.trace } == true)
        #expect(failures.withLock { $0 } == ["the request GET /bad failed with an internal fault (id \(Self.trace))"])
    }

    /// Answers `/STATUS` with this status, and ends the bodies that are to name the request with its identifier.
    private struct NamingResponder: Responder {
        func respond(to request: Request) -> Answer {
            .now(Echo.text("x", status: Int(request.targetText.dropFirst()) ?? 0))
        }
        func response(to failure: RequestFailure, target: String) -> Response { Echo.text("no", status: 400) }
        func response(_ response: Response, naming id: String) -> Response {
            Echo.text("x \(id)", status: response.status)
        }
    }

    @Test(
        "is added to the answers of status 500 and above alone",
        arguments: [(200, "x"), (404, "x"), (499, "x"), (500, "x \(trace)"), (503, "x \(trace)")])
    func named(status: Int, body: String) throws {
        let server = try Server(configuration: .varied(), responder: NamingResponder())
        defer { server.stop(grace: .seconds(5)) }
        let client = try RawClient(port: server.port)
        client.send("GET /\(status) HTTP/1.1\r\nHost: a\r\ntraceparent: 00-\(Self.trace)-00f067aa0ba902b7-01\r\n\r\n")
        #expect(try client.readAnswer().body == body)
    }

    @Test("is in each answer, even if answers share all else")
    func answered() throws {
        let shared = Echo.text("fine")
        let responder = Echo(
            answer: { $0.targetText == "/bad" ? Echo.text("bad", status: 500) : shared },
            refuse: { $0.targetText == "/refused" ? Echo.text("no", status: 403) : nil })
        try withClient(responder) { client in
            let field = "traceparent: 00-\(Self.trace)-00f067aa0ba902b7-01\r\n"
            func ask(_ target: String, _ fields: String = "") throws -> RawAnswer {
                client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                return try client.readAnswer()
            }
            #expect(try ask("/", field).header("Drilldown-Request") == Self.trace)
            // Which of two is the right one is not known, and the next request has its own again.
            #expect(try ask("/", field + field).header("Drilldown-Request") != Self.trace)
            #expect(try ask("/", field).header("Drilldown-Request") == Self.trace)
            let made = try (0..<40).map { _ in try ask("/") }
            #expect(Set(made.compactMap { $0.header("Drilldown-Request") }).count == 40)
            for answer in made {
                #expect(answer.lines.filter { $0.hasPrefix("Drilldown-Request: ") }.count == 1)
                #expect(answer.body == "fine")
            }
            #expect(try ask("/bad", field).header("Drilldown-Request") == Self.trace)
            #expect(try ask("/refused", "Content-Length: 1\r\n").header("Drilldown-Request")?.count == 32)
        }
    }

    @Test("is the answer's own on connections that are answered at once")
    func parallel() throws {
        // Long enough that no answer is sent at once: all are on their way together.
        let body = [UInt8](repeating: 65, count: 4_000_000)
        let shared = Response(status: 200, headers: [("Content-Type", "text/plain")], body: body)
        try withServer(Echo(answer: { _ in shared })) { port in
            let clients = try (0..<40).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            let answers = try clients.map { try $0.readAnswer() }
            #expect(answers.allSatisfy { $0.body.utf8.count == body.count })
            #expect(Set(answers.compactMap { $0.header("Drilldown-Request") }).count == 40)
        }
    }

    @Test(
        "A target is logged without secrets",
        arguments: [
            ("/levels/?q=a&limit=1", "/levels/?q=a&limit=1"), ("/a?token=x", "/a?token=***"), ("/?", "/?"),
            ("/a?q=1&Access_Token=x=y&b", "/a?q=1&Access_Token=***&b"), ("/a?%74oken=x&", "/a?%74oken=***&"),
            ("/a?password=&secret", "/a?password=***&secret"), ("http://me:pw@h/a@b?c=d", "***@h/a@b?c=d"),
            ("/a@b", "/a@b"), ("/token=x", "/token=x"), ("me:pw@h", "***@h"), ("/?%=1&%zz=2", "/?%=1&%zz=2"),
            ("/?secret=x&authorization=x&APIKEY=x", "/?secret=***&authorization=***&APIKEY=***"),
            ("/?api_key=x&my-api-key=x", "/?api_key=***&my-api-key=***"),
        ])
    func secrets(_ target: String, _ logged: String) {
        #expect(LoggedTarget.text(of: target) == logged)
    }
}
