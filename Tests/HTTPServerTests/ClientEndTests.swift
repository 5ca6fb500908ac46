import Glibc
import Testing

@testable import HTTPServer

@Suite("A client that ends its sending together with a request")
struct ClientEndTests {
    /// Has a request and the client's end lie in the socket before the library reads either: its one thread is busy.
    private func sendingAtOnce(
        _ message: String, after before: String? = nil, _ body: (RawClient) throws -> Void
    ) throws {
        let (asked, released) = (Gate(), Gate())
        try withServer(Echo.busy(asked: asked, released: released), .varied { $0.threads = 1 }) { port throws in
            let (client, other) = (try RawClient(port: port), try RawClient(port: port))
            client.send(before ?? "GET /first HTTP/1.1\r\nHost: a\r\n")
            if before != nil { #expect(try client.readAnswer().status == 200) }
            other.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n")
            try asked.pass()
            client.send(message)
            client.finishSending()
            released.open()
            try body(client)
            #expect(try other.readAnswer().body == "get /busy ")
        }
    }

    @Test("sees the connection closed after the answer")
    func first() throws {
        try sendingAtOnce("\r\n") { client throws in
            #expect(try client.readAnswer().body == "get /first ")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("has all its pipelined requests answered first")
    func pipelined() throws {
        let request = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"
        try sendingAtOnce("\r\n" + String(repeating: request, count: 40)) { client throws in
            #expect(try client.readAnswer().body == "get /first ")
            for _ in 0..<40 { #expect(try client.readAnswer().body == "get /next ") }
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("sees the connection closed also if the request is not its first")
    func later() throws {
        let request = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
        try sendingAtOnce(request, after: request) { client throws in
            #expect(try client.readAnswer().body == "get /a ")
            #expect(try client.readToEnd() == "")
        }
    }
}

@Suite("A client that goes on sending after a refusal")
struct LingeringTests {
    @Test("sees the end of the stream while it sends, and is not reset")
    func end() throws {
        try withClient(Echo(), .varied { $0.bodyLimit = 100 }) { client throws in
            client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
            client.send([UInt8](repeating: 65, count: 100_000))
            #expect(try client.readToEnd().hasSuffix("The body is longer than 100 bytes."))
            // A socket that was closed answers the first piece with a reset, and the second cannot be sent.
            for _ in 0..<20 { #expect(client.send([UInt8](repeating: 65, count: 10_000))) }
        }
    }

    @Test("is notified of the end at once, and its socket is kept until it has gone, but for two seconds at most")
    func kept() throws {
        let lingering = Lingering(limit: 2)
        func keep() throws -> Int32 {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            try #require(lingering.keep(ends[0], now: 10))
            close(ends[0])
            return ends[1]
        }
        let (going, staying) = (try keep(), try keep())
        var byte: UInt8 = 0
        for client in [going, staying] {
            #expect(unsafe recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
            #expect(unsafe send(client, &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
        }
        lingering.drain(at: 11)
        #expect(!lingering.keep(going, now: 11))
        close(going)
        lingering.drain(at: 12)
        let next = try keep()
        #expect(unsafe send(staying, &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
        lingering.drain(at: 10 + Lingering.milliseconds - 1)
        #expect(!lingering.isEmpty)
        lingering.drain(at: 10 + Lingering.milliseconds)
        #expect(lingering.isEmpty)
        for client in [staying, next] { close(client) }
    }
}
