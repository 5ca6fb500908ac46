import HTTPServer
import Testing

/// Requests that break HTTP/1.1, or look as if, with the status that answers them.
@Suite("A request is checked before anybody answers it")
struct RequestCheckTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let message: String
        let status: Int
        let body: String
        var testDescription: String { message.debugDescription }

        init(_ message: String, _ status: Int, _ body: String) {
            self.message = message
            self.status = status
            self.body = body
        }
    }

    private static let host = "Host: a\r\n"

    static let wellFormed = [
        Case("GET /a HTTP/1.1\r\nHost:\r\n\r\n", 200, "get /a "),
        Case("GET /a HTTP/1.0\r\n\r\n", 200, "get /a "),
        Case("GET /a?b#c HTTP/1.1\r\n\(host)\r\n", 200, "get /a?b "),
        Case("GET http://a.example/p?q HTTP/1.1\r\n\(host)\r\n", 200, "get /p?q "),
        Case("GET HTTPS://[::1]:8080 HTTP/1.1\r\n\(host)\r\n", 200, "get / "),
        Case("GET http://a?q HTTP/1.1\r\n\(host)\r\n", 200, "get /?q "),
        Case("OPTIONS * HTTP/1.1\r\n\(host)\r\n", 200, "options * "),
        Case("GET /a HTTP/1.2\r\n\(host)\r\n", 200, "get /a "),
        Case("PROPFIND //a HTTP/1.1\r\n\(host)\r\n", 200, "other //a "),
        Case("PUT /a HTTP/1.1\r\n\(host)\r\n", 200, "put /a "),
        Case("PATCH /a HTTP/1.1\r\n\(host)\r\n", 200, "patch /a "),
        Case("DELETE /a HTTP/1.1\r\n\(host)\r\n", 200, "delete /a "),
        Case("delete /a HTTP/1.1\r\n\(host)\r\n", 200, "other /a "),
        Case("PUTS /a HTTP/1.1\r\n\(host)\r\n", 200, "other /a "),
        Case("GOT /a HTTP/1.1\r\n\(host)\r\n", 200, "other /a "),
        Case(
            "GET /a?\(String(repeating: "&a=b", count: 2000)) HTTP/1.1\r\n\(host)\r\n", 200,
            "get /a?\(String(repeating: "&a=b", count: 2000)) "),
        Case("GET /a HTTP/1.1\r\n\(host)X: caf\u{E9}\t\"~\"  \r\nY:\r\n\r\n", 200, "get /a "),
        Case("\r\nGET /a HTTP/1.1\r\n\(host)\r\n", 200, "get /a "),
        Case("POST /a HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n", 200, "post /a "),
    ]

    static let requestLine = "The request line must be a method, a target and a version, separated by single spaces."
    static let target =
        "The request target contains a space, a control character or a non-ASCII byte; percent-encode it."
    static let form = "The request target must begin with '/' or be an http URL; only OPTIONS accepts '*'."
    static let lines =
        "The header contains a folded line, a null character, or a line that ends without a carriage return."
    static let name = "A field name contains a character that is not allowed there, or ends with white space."
    static let lengths = "A request must not have both Content-Length and Transfer-Encoding."
    static let coding = "The only transfer coding that this server supports is 'chunked'."

    static let malformed = [
        Case("GET  /a HTTP/1.1\r\n\(host)\r\n", 400, requestLine),
        Case("GET /a  HTTP/1.1\r\n\(host)\r\n", 400, target),
        Case("GET /a b HTTP/1.1\r\n\(host)\r\n", 400, target),
        Case("G\u{0}T /a HTTP/1.1\r\n\(host)\r\n", 400, requestLine),
        Case("GET /a\u{0}b HTTP/1.1\r\n\(host)\r\n", 400, requestLine),
        Case("G:T /a HTTP/1.1\r\n\(host)\r\n", 400, "The method contains a character that is not allowed in a method."),
        Case("GET /a HTTP/1.2\r\n\r\n", 400, "An HTTP/1.1 request needs a Host field."),
        Case("GET /\u{7F} HTTP/1.1\r\n\(host)\r\n", 400, target),
        Case("GET /12345678901234567\u{1}12 HTTP/1.1\r\n\(host)\r\n", 400, target),
        Case("GET /\u{E9} HTTP/1.1\r\n\(host)\r\n", 400, target),
        Case("GET a HTTP/1.1\r\n\(host)\r\n", 400, form),
        Case("GET * HTTP/1.1\r\n\(host)\r\n", 400, form),
        Case("GET ftp://a/ HTTP/1.1\r\n\(host)\r\n", 400, form),
        Case("GET http:///a HTTP/1.1\r\n\(host)\r\n", 400, form),
        Case("GET http://user@a/ HTTP/1.1\r\n\(host)\r\n", 400, form),
        Case("CONNECT a:443 HTTP/1.1\r\n\(host)\r\n", 501, "This server is not a proxy and does not open tunnels."),
        Case("GET / HTTP/1.1\r\n\r\n", 400, "An HTTP/1.1 request needs a Host field."),
        Case("GET / HTTP/1.1\r\n\(host)\(host)\r\n", 400, "The field host appears more than once."),
        Case("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "The Host field is not a host name or an address."),
        Case("GET / HTTP/1.1\r\n\(host)X : a\r\n\r\n", 400, name),
        Case("GET / HTTP/1.1\r\n\(host)X\u{E9}: a\r\n\r\n", 400, name),
        Case("GET / HTTP/1.1\r\n\(host): a\r\n\r\n", 400, lines),
        Case("GET / HTTP/1.1\r\n X: a\r\n\(host)\r\n", 400, name),
        Case("GET / HTTP/1.1\r\n\(host)X: a\u{7}b\r\n\r\n", 400, "A field value contains a control character."),
        Case("GET / HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", 400, "A field value contains a control character."),
        Case("GET / HTTP/1.1\r\n\(host)X: a\u{0}b\r\n\r\n", 400, lines),
        Case("GET / HTTP/1.1\r\nX: a\u{0}b\r\n\(host)\r\n", 400, lines),
        Case("GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n", 400, lines),
        Case("GET / HTTP/1.1\r\nHos: evil\r\n t\r\n\r\n", 400, lines),
        Case("GET / HTTP/1.1\r\n\(host)X: a\nY: b\r\n\r\n", 400, lines),
        Case("GET / HTTP/1.1\r\n\(host)X: a\r\n\n", 400, lines),
        Case("GET / HTTP/1.1\n\(host)\r\n", 400, lines),
        Case(
            "POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400,
            "The field content-length appears more than once."),
        Case(
            "POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, lengths),
        Case("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, coding),
        Case("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: identity\r\n\r\n", 501, coding),
        Case(
            "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
            "The field transfer-encoding appears more than once."),
        Case(
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
            "HTTP/1.0 does not have Transfer-Encoding."),
        Case(
            "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 9\r\n\r\n", 400,
            "The trailer contains a field that is malformed or not allowed in a trailer."),
        Case(
            "GET /\(String(repeating: "x", count: 8192)) HTTP/1.1\r\n\(host)\r\n", 414,
            "The request line is longer than 8192 bytes."),
        Case(
            "GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 8192))\r\n\r\n", 431,
            "The request line and the header together are longer than 8192 bytes."),
    ]

    /// Fields of which each line may be the one that another recipient takes.
    static let repeated = [
        "authorization", "content-type", "if-modified-since", "if-range", "if-unmodified-since", "last-event-id",
        "origin", "range",
    ].map { name in
        Case(
            "GET / HTTP/1.1\r\n\(host)\(name): a\r\n\(name): b\r\n\r\n", 400,
            "The field \(name) appears more than once.")
    }

    @Test("and answered where it is well-formed", arguments: wellFormed)
    func accepted(example: Case) throws {
        try withClient { client throws in
            client.send(latin1(example.message))
            let answer = try client.readAnswer()
            #expect(answer.status == example.status)
            #expect(answer.body == example.body)
        }
    }

    @Test("A base path is removed from the beginning of a target that has it")
    func basePath() throws {
        for (target, rest) in [
            ("/a", "/"), ("/a?q", "/?q"), ("/a/", "/"), ("/a/b?q", "/b?q"), ("/a/a/b", "/a/b"), ("/ab", "/ab"),
            ("/b/a", "/b/a"), ("/", "/"), ("http://h/a/b#c", "/b"), ("http://h", "/"),
        ] {
            try withClient(Echo(), .varied { $0.basePath = "/a" }) { client throws in
                client.send("GET \(target) HTTP/1.1\r\n\(Self.host)\r\n")
                #expect(try client.readAnswer().body == "get \(rest) ", "\(target)")
            }
        }
    }

    /// The library of before 1.0 takes the space for a part of the coding's name, and would wait for a body for ever.
    static let untrimmed = Case(
        "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n", 501,
        "The body cannot be decoded, because white space follows 'chunked' in Transfer-Encoding; remove it.")

    /// Whether the library is the one that leaves the checks to us; that of 1.0 makes many of them, in its own words.
    static let leavesChecks = Server.libraryVersion.hasPrefix("0.")

    @Test(
        "and refused with the reason where it is not; nothing that follows it is served", .enabled(if: leavesChecks),
        arguments: malformed + repeated + [untrimmed])
    func refused(example: Case) throws {
        try withClient { client throws in
            client.send(latin1(example.message + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"))
            let answer = try client.readAnswer()
            #expect(answer.status == example.status)
            #expect(answer.body == example.body)
            #expect(answer.header("Connection") == "close")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("and never served if it is malformed, whichever part finds that", arguments: malformed)
    func neverServed(example: Case) throws {
        try withClient { client throws in
            client.send(latin1(example.message + "GET /smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
            client.finishSending()
            let text = try client.readToEnd()
            #expect(text.ranges(of: "\r\nDate: ").count <= 1)
            #expect(!text.hasPrefix("HTTP/1.1 2"))
        }
    }

    @Test("line by line also where a header looks like the one before")
    func remembered() throws {
        let good = "GET /a HTTP/1.1\r\nHost: a\r\nX: a\r\nY: b\r\n\r\n"
        for bad in [
            "GET /a HTTP/1.1\r\nHost: a\r\nX: a\0\0Y: b\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\nX: a\0\0Y\0 b\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nX: a\r\nY: \u{1}\r\n\r\n",
        ] {
            try withClient { client throws in
                for _ in 0..<3 {
                    client.send(good)
                    #expect(try client.readAnswer().body == "get /a ")
                }
                client.send(bad)
                #expect(try client.readAnswer().status >= 400)
                #expect(try client.readToEnd() == "")
            }
        }
    }

    /// Characters up to U+00FF as one byte each.
    private func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
