import Glibc
import HTTPServer
import Testing

@Suite("A slow client is cut", .serialized)
struct DeadlineTests {
    private func withPatience<Result>(slowestReader: Int = 16 << 10, _ body: (UInt16) throws -> Result) throws -> Result
    {
        let configuration = Server.Configuration.varied {
            $0.requestDeadline = .milliseconds(250)
            $0.slowestReader = slowestReader
            $0.idleTimeout = .milliseconds(250)
        }
        let big = Response(status: 200, headers: [], body: Array(repeating: 65, count: 20_000_000))
        let echo = Echo(answer: { $0.targetText == "/big" ? big : Echo.description(of: $0) })
        return try withServer(echo, configuration, body)
    }

    @Test(
        "which sends nothing, half a request line, half a header or half a body",
        arguments: [
            "", "GET /a", "GET /a HTTP/1.1\r\nHost: a\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
        ])
    func silent(beginning: String) throws {
        try withPatience { port throws in
            let client = try RawClient(port: port)
            client.send(beginning)
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("which keeps a connection without asking")
    func idle() throws {
        try withPatience { port throws in
            let client = try RawClient(port: port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "get /a ")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("which sends byte after byte and never comes to an end; others are served meanwhile")
    func trickle() throws {
        try withPatience { port throws in
            let slow = try (0..<50).map { _ in try RawClient(port: port) }
            var open = slow
            for client in open { client.send("GET /a HTTP/1.1\r\nX: ") }
            while !open.isEmpty {
                open.removeAll { !$0.send("x") }
                let other = try RawClient(port: port)
                other.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                #expect(try other.readToEnd().hasSuffix("get /a "))
            }
        }
    }

    @Test("but not one that reads a large answer slowly within its time")
    func largeAnswer() throws {
        try withPatience { port throws in
            let client = try RawClient(port: port)
            client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            // The deadlines of two other connections pass meanwhile, but that of this answer goes by its size.
            for _ in 0..<2 { #expect(try RawClient(port: port).readToEnd() == "") }
            #expect(try client.readAnswer().body.utf8.count == 20_000_000)
        }
    }

    @Test("which does not read its answer in the time that it has")
    func unread() throws {
        try withPatience(slowestReader: 1 << 30) { port throws in
            let client = try RawClient(port: port)
            client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<3 { #expect(try RawClient(port: port).readToEnd() == "") }
            let received = try client.readToEnd().utf8.count
            #expect(received > 0 && received < 20_000_000)
        }
    }
}
