import Locking
import Testing

@testable import HTTPServer

@Suite("The identifier of a request")
struct RequestIDTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    private func traceID(_ value: String...) -> String? {
        Request(target: "/", fields: value.map { ("traceparent", $0) }).traceID
    }

    @Test("is the trace that a valid traceparent names")
    func valid() {
        #expect(traceID("00-\(Self.trace)-00f067aa0ba902b7-01") == Self.trace)
        #expect(traceID("00-\(Self.trace)-00f067aa0ba902b7-00") == Self.trace)
        #expect(traceID("cc-\(Self.trace)-00f067aa0ba902b7-01") == Self.trace)
        #expect(traceID("cc-\(Self.trace)-00f067aa0ba902b7-01-later") == Self.trace)
    }

    @Test("is none of a traceparent that is not valid")
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
        let many = (0..<1_000).map { _ in ids.next() }
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
            $0.failureLog = { failure in failures.withLock { $0.append("\(failure)") } }
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
        #expect(failures.withLock { $0 } == ["the answer to GET /bad is an internal fault (id \(Self.trace))"])
    }

    @Test(
        "A target is logged without secrets",
        arguments: [
            ("/levels/?q=a&limit=1", "/levels/?q=a&limit=1"), ("/a?token=x", "/a?token=***"), ("/?", "/?"),
            ("/a?q=1&Access_Token=x=y&b", "/a?q=1&Access_Token=***&b"), ("/a?%74oken=x&", "/a?%74oken=***&"),
            ("/a?password=&secret", "/a?password=***&secret"), ("http://me:pw@h/a@b?c=d", "***@h/a@b?c=d"),
            ("/a@b", "/a@b"), ("/token=x", "/token=x"), ("me:pw@h", "***@h"), ("/?%=1&%zz=2", "/?%=1&%zz=2"),
        ])
    func secrets(_ target: String, _ logged: String) {
        #expect(LoggedTarget.text(of: target) == logged)
    }
}
