import Glibc
import HTTPServer
import Testing

@Suite("A slow client is cut", .serialized)
struct DeadlineTests {
    private static let size = 40_000_000

    /// The times are long enough for a test that has to wait for a processor.
    ///
    /// - Parameter idle: how long an idle connection is kept; by that the tests see time pass.
    private func withPatience<Result>(
        _ deadline: Duration = .seconds(1), idle: Duration = .seconds(1),
        _ body: (UInt16) throws -> Result
    ) throws -> Result {
        let configuration = Server.Configuration.varied {
            $0.requestDeadline = deadline
            $0.idleTimeout = idle
        }
        let big = Response(status: 200, headers: [], body: Array(repeating: 65, count: Self.size))
        let echo = Echo(answer: { request in
            switch request.targetText {
            case "/big": big
            case "/stream": Response(status: 200, headers: [], stream: Letters(Self.size))
            default: Echo.description(of: request)
            }
        })
        return try withServer(echo, configuration, body)
    }

    /// So many letters.
    private final class Letters: BodyStream {
        private var left: Int
        init(_ count: Int) { left = count }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(left, buffer.count)
            for index in 0..<count { unsafe buffer[index] = 65 }
            left -= count
            return count
        }
    }

    /// Lets the time pass that an idle connection is kept.
    private func passTime(_ port: UInt16) throws {
        let idle = try RawClient(port: port)
        idle.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try idle.readAnswer().body == "get /a ")
        #expect(try idle.readToEnd() == "")
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

    @Test("but not one that goes on taking a large answer beyond the deadline", arguments: ["/big", "/stream"])
    func slowReader(target: String) throws {
        try withPatience(.seconds(4), idle: .milliseconds(500)) { port throws in
            let client = try RawClient(port: port)
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            let end = ContinuousClock.now + .seconds(5)
            while ContinuousClock.now < end {
                for _ in 0..<2 { try client.readSome() }
                try passTime(port)
            }
            // A fourth of the time without any progress.
            let start = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < start { try passTime(port) }
            #expect(try client.readAnswer().body.utf8.count == Self.size)
        }
    }

    @Test("which takes nothing more of a large answer, however large it is", arguments: ["/big", "/stream"])
    func unread(target: String) throws {
        try withPatience { port throws in
            let client = try RawClient(port: port)
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<3 { #expect(try RawClient(port: port).readToEnd() == "") }
            let received = try client.readToEnd().utf8.count
            #expect(received > 0 && received < Self.size)
        }
    }
}
