import HTTPServer
import Locking
import Testing

@Suite("A streamed body")
struct StreamTests {
    /// Hands out pieces, then ends, or fails.
    final class Pieces: BodyStream {
        private var pieces: [String]
        private let fails: Bool
        private let onRelease: @Sendable () -> Void

        init(_ pieces: [String], fails: Bool = false, onRelease: @escaping @Sendable () -> Void = {}) {
            self.pieces = pieces
            self.fails = fails
            self.onRelease = onRelease
        }

        deinit { onRelease() }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            guard !pieces.isEmpty else { return fails ? -1 : 0 }
            let piece = Array(pieces.removeFirst().utf8)
            unsafe buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    private func streaming(_ pieces: [String], fails: Bool = false) -> Echo {
        Echo(answer: { _ in Response(status: 200, headers: [], stream: Pieces(pieces, fails: fails)) })
    }

    @Test("goes out in chunks, and the connection stays")
    func chunks() throws {
        try withClient(streaming(["one ", "two ", String(repeating: "x", count: 1000)])) { client throws in
            for _ in 0..<2 {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try client.readAnswer()
                #expect(answer.header("Transfer-Encoding") == "chunked")
                #expect(answer.body == "one two " + String(repeating: "x", count: 1000))
            }
        }
    }

    @Test("is logged with all of its bytes, and with the time that it took")
    func logged() throws {
        let entries = Guarded<[AccessEntry]>([])
        let configuration = Server.Configuration.varied {
            $0.accessLog = { entry in entries.withLock { $0.append(entry) } }
        }
        let duration = try ContinuousClock().measure {
            try withClient(streaming(["o", "n", "e", ""]), configuration) { client throws in
                client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                _ = try client.readToEnd()
            }
        }
        let entry = try #require(entries.withLock { $0.first })
        #expect(entry.size == 3 && entry.completed && entry.duration > .zero && entry.duration < duration)
    }

    @Test("ends with the connection in HTTP/1.0")
    func oldVersion() throws {
        try withClient(streaming(["one ", "two"])) { client throws in
            client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try client.readAnswer().body == "one two")
        }
    }

    @Test("does not go out for HEAD, whose answer ends with the connection")
    func head() throws {
        try withClient(streaming(["one"])) { client throws in
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try client.readAnswer(toHead: true)
            #expect(answer.status == 200 && answer.header("Connection") == "close")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("of known length goes out with it, also to HEAD, and the connection stays")
    func length() throws {
        let responder = Echo(answer: { _ in
            Response(status: 200, headers: [], stream: Pieces(["one ", "two"]), length: 7)
        })
        try withClient(responder) { client throws in
            for method in ["HEAD", "GET"] {
                client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try client.readAnswer(toHead: method == "HEAD")
                #expect(answer.header("Content-Length") == "7" && answer.header("Connection") == nil)
                #expect(answer.body == (method == "HEAD" ? "" : "one two"))
            }
        }
    }

    @Test("of known length that ends too early cuts the connection")
    func tooShort() throws {
        let responder = Echo(answer: { _ in
            Response(status: 200, headers: [], stream: Pieces(["one "], fails: true), length: 7)
        })
        try withClient(responder) { client throws in
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readToEnd().hasSuffix("\r\n\r\none "))
        }
    }

    @Test("that fails cuts the connection before its end")
    func failure() throws {
        try withClient(streaming(["one"], fails: true)) { client throws in
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readToEnd().hasSuffix("3\r\none\r\n"))
        }
    }

    @Test("is let go when its answer has been sent, and when the client has gone")
    func release() throws {
        let released = Guarded(0)
        let responder = Echo(answer: { _ in
            let pieces = Array(repeating: "x", count: 3)
            let stream = Pieces(pieces, onRelease: { released.withLock { $0 += 1 } })
            return Response(status: 200, headers: [], stream: stream)
        })
        try withServer(responder) { port throws in
            let client = try RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "xxx")
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        #expect(released.withLock { $0 } >= 1)
    }
}
