import HTTPServer
import Testing

@Suite("A request in chunks")
struct ChunkTests {
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Bodies whose end two parsers can see in different places, and one that is well-formed.
    static let bodies = [
        "2\r\nxx\r\n0\r\n\r\n", "2;\nxx\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5;e=a\rb\r\nhello\r\n0\r\n\r\n",
        "5\r\r\nhello\r\n0\r\n\r\n", "0;\n\r\n\r\n", "0\r\nX: a\n\r\n", "0;\r\n\n",
        "2;\nxx\r\n2d\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n", "0\n\r\n", "5 \r\nhello\r\n0\r\n\r\n",
    ]

    @Test(
        "has one answer at most, which ends the connection, whatever follows it", arguments: bodies,
        ["GET", "HEAD", "POST", "PATCH", "OPTIONS", "PROPFIND"])
    func smuggling(body: String, method: String) throws {
        try withClient { client throws in
            client.send("\(method) /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body + Self.smuggled)
            client.send(Self.smuggled)
            // Whatever is still awaited of the body comes to its end.
            client.finishSending()
            let text = try client.readToEnd()
            #expect(text.ranges(of: "HTTP/1.1 ").count <= 1)
            #expect(text.isEmpty || text.contains("\r\nConnection: close\r\n"))
            #expect(!text.contains("smuggled") && !text.contains("hidden"))
        }
    }

    @Test("is answered whole to a client that goes on sending")
    func lingering() throws {
        let large = Response(status: 200, headers: [], body: Array(repeating: 65, count: 3_000_000))
        try withClient(Echo(answer: { _ in large })) { client throws in
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            for _ in 0..<50 { client.send(Self.smuggled) }
            #expect(try client.readAnswer().body.utf8.count == 3_000_000)
            #expect(try client.readToEnd() == "")
        }
    }

    @Test(
        "has its trailer read, in however many pieces it comes", arguments: ["X-Trai", "X-Trailer", "X-Trailer: a\r"])
    func trailer(piece: String) throws {
        // One thread serves both connections, so that an answer to the other shows that the piece was read.
        try withServer(Echo(), .varied { $0.threads = 1 }) { port throws in
            let (client, other) = (try RawClient(port: port), try RawClient(port: port))
            let trailer = "X-Trailer: a\r\nX-Other: b\r\n\r\n"
            client.send("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\(piece)")
            for _ in 0..<2 {
                other.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try other.readAnswer().body == "get /b ")
            }
            client.send(Array(trailer.utf8.dropFirst(piece.utf8.count)))
            let answer = try client.readAnswer()
            #expect(answer.status == 200 && answer.body == "put /a xx")
        }
    }

    @Test("is refused for its trailer, in pieces too", arguments: ["Content-Le", "Content-Length: 9\r\nHo"])
    func forbiddenTrailer(piece: String) throws {
        try withServer(Echo(), .varied { $0.threads = 1 }) { port throws in
            let (client, other) = (try RawClient(port: port), try RawClient(port: port))
            let trailer = "Content-Length: 9\r\nHost: a\r\n\r\n"
            client.send("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\(piece)")
            for _ in 0..<2 {
                other.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try other.readAnswer().body == "get /b ")
            }
            client.send(Array(trailer.utf8.dropFirst(piece.utf8.count)))
            #expect(try client.readAnswer().status == 400)
        }
    }

    @Test(arguments: [
        "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Expect",
        "Host", "TE", "Trailer", "Transfer-Encoding",
    ])
    func `is refused for each field that belongs before the body and stands in its trailer`(name: String) throws {
        try withClient { client throws in
            client.send("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(name): a\r\n\r\n")
            #expect(try client.readAnswer().status == 400)
        }
    }

    @Test(
        "may have white space around the coding's name",
        arguments: ["\tchunked", "chunked\t", " \t Chunked \t ", "chunked "], ["GET", "HEAD"])
    func whiteSpace(coding: String, method: String) throws {
        try withClient { client throws in
            client.send("\(method) /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\(coding)\r\n\r\n2\r\nxx\r\n0\r\n\r\n")
            let answer = try client.readAnswer(toHead: method == "HEAD")
            #expect(answer.status == 200 && answer.header("Connection") == "close")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("waits for a later answer with white space behind the coding too")
    func laterAnswer() throws {
        let room = WaitingRoom()
        let responder = Echo(give: { request in
            guard let waiter = room.admit(for: .seconds(30), otherwise: Echo.text("over")) else {
                return .now(Echo.text("full"))
            }
            waiter.finish(Echo.text("later \(request.targetText)"))
            return .later(waiter)
        })
        try withClient(responder) { client throws in
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n")
            #expect(try client.readAnswer().body == "later /a")
            #expect(try client.readToEnd() == "")
        }
    }
}
