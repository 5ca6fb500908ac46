import HTTPServer
import Locking
import Testing

@Suite("A long header")
struct HeaderSizeTests {
    /// A request of exactly so many fields and bytes.
    private static func request(fields: Int, bytes: Int) -> String {
        let short = "GET /a HTTP/1.1\r\nHost: a\r\n" + (2..<fields).map { "X\($0): a\r\n" }.joined()
        return short + "Y: \(String(repeating: "y", count: bytes - short.utf8.count - 7))\r\n\r\n"
    }

    @Test("of a request is served up to the limits", arguments: [2, 60, 100])
    func served(fields: Int) throws {
        try withClient { client throws in
            for _ in 0..<2 {
                client.send(Self.request(fields: fields, bytes: 8192))
                #expect(try client.readAnswer().body == "get /a ")
            }
        }
    }

    @Test("of a request that exceeds the limit is refused in our own words")
    func refused() throws {
        try withClient { client throws in
            client.send(Self.request(fields: 2, bytes: 8193))
            let answer = try client.readAnswer()
            #expect(answer.status == 431)
            #expect(answer.body == "The request line and the header together are longer than 8192 bytes.")
            #expect(answer.header("Instance") == "/a")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("of more fields than the library has memory to answer is refused in our own words, without a line in the log")
    func manyFields() throws {
        let told = Guarded(0)
        try withServer(Echo(), .varied { $0.faultLog = { _ in told.withLock { $0 += 1 } } }) { port throws in
            for fields in [101, 121, 122, 160, 200, 220] {
                for (method, words) in [
                    ("GET", "The header has \(fields) fields, and the server reads at most 100."), ("HEAD", ""),
                ] {
                    let client = try RawClient(port: port)
                    let names = (2...fields).map { "a\($0 % 10): b\r\n" }.joined()
                    client.send("\(method) /a HTTP/1.1\r\nHost: a\r\n\(names)\r\n")
                    let answer = try client.readAnswer(toHead: method == "HEAD")
                    #expect(answer.status == 431 && answer.body == words)
                    #expect(answer.header("Instance") == "/a")
                    #expect(answer.header("Connection") == "close")
                    #expect(answer.header("Date") != nil && answer.header("Drilldown-Request") != nil)
                    #expect(try client.readToEnd() == "")
                }
            }
        }
        #expect(told.withLock { $0 } == 0)
    }

    @Test("of a request may hold long cookies, as far as they fit into memory a second time")
    func cookie() throws {
        try withClient { client throws in
            func send(cookies count: Int) {
                let cookies = (0..<count).map { "name\($0)=\(String(repeating: "v", count: 100))" }
                client.send("GET /a HTTP/1.1\r\nHost: a\r\nCookie: \(cookies.joined(separator: "; "))\r\n\r\n")
            }
            send(cookies: 35)
            #expect(try client.readAnswer().body == "get /a ")
            send(cookies: 42)
            let answer = try client.readAnswer()
            #expect(answer.status == 431)
            #expect(answer.body == "The cookies need more memory than a request may use; send fewer or shorter ones.")
        }
    }

    @Test("that is wrong is refused with the target as the instance, if the request line is right")
    func instance() throws {
        for (message, instance) in [
            ("GET /a?b HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "/a?b"),
            ("GET http://a/c HTTP/1.1\r\nHost: a/b\r\n\r\n", "/c"),
            ("GET ftp://a/c HTTP/1.1\r\nHost: a\r\n\r\n", nil),
            ("POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n", "/d"),
        ] {
            try withClient { client throws in
                client.send(message)
                let answer = try client.readAnswer()
                #expect(answer.status >= 400)
                #expect(answer.header("Instance") == instance)
            }
        }
    }

    /// A responder whose answers have header lines of so many bytes as the target says.
    private static let answering = Echo(answer: { request in
        let size = Int(request.targetText.dropFirst()) ?? 0
        return Response(status: 200, headers: [("X", String(repeating: "x", count: max(size - 5, 0)))], body: [65])
    })

    @Test("of an answer is sent, behind the longest request too", arguments: [1024, 6500])
    func answered(size: Int) throws {
        try withClient(Self.answering) { client throws in
            let padding = size > 1024 ? "" : "Y: \(String(repeating: "y", count: 8_000))\r\n"
            for _ in 0..<3 {
                client.send("GET /\(size) HTTP/1.1\r\nHost: a\r\n\(padding)\r\n")
                let answer = try client.readAnswer()
                #expect(answer.status == 200 && answer.body == "A")
                #expect(answer.header("X")?.utf8.count == size - 5)
            }
        }
    }

    @Test("of an answer loses its links beside many fields of the request, unless it is a redirect")
    func links() throws {
        let responder = Echo(answer: { request in
            let isMoved = request.targetText == "/moved"
            let link = "/" + String(repeating: "x", count: 2_047)
            return Response(
                status: isMoved ? 308 : 201,
                headers: [("Location", link), ("Content-Location", link), ("Link", "</x>"), ("X", "x")], body: [65])
        })
        try withClient(responder) { client throws in
            for fields in [40, 100] {
                client.send(Self.request(fields: fields, bytes: 8192))
                let answer = try client.readAnswer()
                #expect(answer.status == 201 && answer.body == "A" && answer.header("X") == "x")
                let lengths = ["Location", "Content-Location", "Link"].map { answer.header($0)?.utf8.count }
                #expect(lengths == (fields == 40 ? [2_048, 2_048, 4] : [nil, nil, nil]))
            }
            let short = Self.request(fields: 100, bytes: 8_000)
            client.send("GET /moved" + short.dropFirst("GET /a".count))
            #expect(try client.readAnswer().status == 500)
        }
    }

    @Test("of an answer that exceeds the connection's memory makes a 500 and a line in the log, and others go on")
    func unsent() throws {
        let told = Guarded<[RequestFault]>([])
        try withServer(Self.answering, .varied { $0.faultLog = { answer in told.withLock { $0.append(answer) } } }) {
            port throws in
            let client = try RawClient(port: port)
            client.send("HEAD /25000 HTTP/1.1\r\nHost: a\r\n\r\nGET /1024 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer(toHead: true).status == 500)
            #expect(try client.readAnswer().status == 200)
            client.send("GET /25000 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try client.readAnswer()
            let entry = try #require(told.withLock { $0.last })
            #expect(answer.status == 500)
            #expect(answer.body == "fault \(entry.id) /25000")
            #expect(entry.method == .get && entry.target == "/25000")
            #expect(
                "\(entry)" == """
                    the answer to GET /25000, status 200, cannot be sent: its header lines, 25000 bytes, exceed the \
                    memory of the connection (id \(entry.id))
                    """)
            #expect(told.withLock { $0.count } == 2)
        }
    }

    @Test("of an answer is logged once, also for a stream, whose owner learns its end")
    func unsentStream() throws {
        let told = Guarded(0)
        let ends = Ends<String>()
        let room = WaitingRoom()
        let responder = Echo(answer: { _ in
            guard let stream = room.admit(Silence(), onEnd: { _ in ends.append("ended") }) else {
                return Echo.text("full")
            }
            return Response(status: 200, headers: [("X", String(repeating: "x", count: 30_000))], events: stream)
        })
        try withServer(responder, .varied { $0.faultLog = { _ in told.withLock { $0 += 1 } } }) { port throws in
            let client = try RawClient(port: port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 500)
            try ends.next()
            #expect(ends.all == ["ended"] && room.count == 0)
            #expect(told.withLock { $0 } == 1)
        }
    }

    /// A source that never has anything.
    private final class Silence: EventSource {
        func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece { .nothing }
    }

    @Test("does not hide a status that the library refuses")
    func refusedStatus() throws {
        let told = Guarded<[String]>([])
        let responder = Echo(answer: { _ in Response(status: 1200, headers: []) })
        try withServer(responder, .varied { $0.faultLog = { answer in told.withLock { $0.append("\(answer)") } } }) {
            port throws in
            let client = try RawClient(port: port)
            client.send("GET /\(String(repeating: "a", count: 100)) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 500)
        }
        let sentence = try #require(told.withLock { $0.first })
        #expect(
            sentence.hasPrefix(
                "the answer to GET /\(String(repeating: "a", count: 79))…, status 1200, cannot be sent: "
                    + "libmicrohttpd refused it (id "))
    }
}
