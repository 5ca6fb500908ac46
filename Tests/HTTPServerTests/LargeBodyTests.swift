import HTTPServer
import Testing

/// Bodies for which the responder has a limit of its own.
@Suite("A body with its own limit")
struct LargeBodyTests {
    private let responder = Echo(limit: 1_000)
    private let configuration = Server.Configuration.varied { $0.bodyLimit = 100 }

    private func put(_ count: Int, method: String = "PUT") -> String {
        "\(method) /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n"
    }

    @Test("is taken up to it, and that of any other request up to the server's")
    func limits() throws {
        let text = String(repeating: "x", count: 1_000)
        try withClient(responder, configuration) { client throws in
            for count in [1, 100, 101, 1_000] {
                client.send(put(count) + text.prefix(count))
                #expect(try client.readAnswer().body == "put /x \(text.prefix(count))")
            }
            client.send(put(1_001))
            let answer = try client.readAnswer()
            #expect(answer.status == 413)
            #expect(answer.body == "The body is longer than 1000 bytes.")
        }
        try withClient(responder, configuration) { client throws in
            client.send(put(101, method: "POST"))
            #expect(try client.readAnswer().body == "The body is longer than 100 bytes.")
        }
    }

    @Test("must announce its size if it is larger than that of others")
    func chunked() throws {
        try withClient(responder, configuration) { client throws in
            let head = "PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            client.send(head + "65\r\n" + String(repeating: "x", count: 101) + "\r\n0\r\n\r\n")
            let answer = try client.readAnswer()
            #expect(answer.status == 413)
            #expect(
                answer.body == "The body in chunks is longer than 100 bytes; announce its size by Content-Length.")
        }
    }

    @Test("is received alone: another large one is turned away, a small one is not")
    func alone() throws {
        try withServer(responder, configuration) { port throws in
            let first = try RawClient(port: port)
            first.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\nExpect: 100-continue\r\n\r\n")
            #expect(try first.readAnswer().status == 100)
            let second = try RawClient(port: port)
            second.send(put(200))
            let refusal = try second.readAnswer()
            #expect(refusal.status == 503)
            #expect(
                refusal.body
                    == "Another large body is being received, or there is no memory for this one. Try again later.")
            let small = try RawClient(port: port)
            small.send(put(100) + String(repeating: "x", count: 100))
            #expect(try small.readAnswer().status == 200)
            first.send(String(repeating: "x", count: 200))
            #expect(try first.readAnswer().status == 200)
            // The place is free once the request is completed, which precedes the next one of its connection.
            first.send(put(200) + String(repeating: "x", count: 200))
            #expect(try first.readAnswer().status == 200)
        }
    }

    @Test("leaves its place to the next one when its client goes")
    func abandoned() throws {
        try withServer(responder, configuration) { port throws in
            for _ in 0..<3 {
                let client = try RawClient(port: port)
                client.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\nExpect: 100-continue\r\n\r\n")
                #expect(try client.readAnswer().status == 100)
                client.finishSending()
                _ = try client.readToEnd()
            }
        }
    }

    /// Lets a quarter of a second pass: the time that a connection may be silent.
    private func passTime(_ port: UInt16) throws { #expect(try RawClient(port: port).readToEnd() == "") }

    @Test("has time by its bytes from its beginning on, not from each piece on", arguments: [200, 1_000])
    func dripping(piece: Int) throws {
        let configuration = Server.Configuration.varied {
            $0.bodyLimit = 100
            $0.requestDeadline = .milliseconds(250)
            $0.slowestSender = 1_000
        }
        try withServer(Echo(limit: 12_000), configuration) { port throws in
            let client = try RawClient(port: port)
            client.send(put(12 * piece))
            for _ in 0..<12 {
                client.send(String(repeating: "x", count: piece))
                try passTime(port)
            }
            // A thousand bytes give a second, and two hundred less than the time that passes between the pieces.
            if piece == 200 {
                #expect(try client.readToEnd() == "")
            } else {
                #expect(try client.readAnswer().status == 200)
            }
        }
    }
}
