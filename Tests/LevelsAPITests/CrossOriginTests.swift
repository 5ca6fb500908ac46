import HTTPServer
import LevelsAPI
import Testing

/// Which pages of other origins may read the answers (Fetch standard, CORS protocol).
@Suite struct CrossOriginTests {
    private static let targets = [
        "/levels/", "/detail/a", "/document", "/problems", "/healthz", "/readyz", "/levels/x", "/x", "/levels/?x",
    ]
    private static let exposed =
        "Access-Control-Expose-Headers: "
        + "ETag, Link, Preference-Applied, Location, Retry-After, Content-Range, Accept-Ranges, Drilldown-Revision"

    private static func desk(_ origins: String) throws -> Desk {
        try Desk(CodingTests.document.replacing(#""row 1""#, with: #""a""#)) {
            $0.allowedOrigins = try AllowedOrigins(origins)
        }
    }

    private static func crossing(_ answer: Answer) -> [String] {
        answer.headers.filter { $0.hasPrefix("Access-Control-") || $0.hasPrefix("Vary: ") }
    }

    private static func vary(_ target: String, origin: Bool) -> [String] {
        var fields: [String] = []
        if ["/levels/", "/detail/a", "/document"].contains(target) { fields = ["Accept-Encoding", "Accept"] }
        if target == "/problems" { fields = ["Accept-Encoding"] }
        if origin { fields.append("Origin") }
        return fields.isEmpty ? [] : ["Vary: " + fields.joined(separator: ", ")]
    }

    @Test("By default no page of another origin may read anything")
    func none() throws {
        for origins in ["", " , "] {
            let desk = try Self.desk(origins)
            for target in Self.targets {
                let answer = desk.get(target, [("Origin", "https://a.example")])
                #expect(Self.crossing(answer) == Self.vary(target, origin: false))
                #expect(answer == desk.get(target))
            }
            let preflight = desk.ask(
                .options, "/levels/", [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")])
            #expect(preflight.status == 204)
            #expect(preflight.headers == ["Allow: GET, HEAD, POST, OPTIONS"])
        }
    }

    @Test("With an asterisk every page may read every answer, and no answer varies by the origin")
    func any() throws {
        let desk = try Self.desk("*")
        for target in Self.targets {
            for fields in [[], [("Origin", "https://a.example")], [("Origin", "null")]] as [[(String, String)]] {
                let expected = Self.vary(target, origin: false) + ["Access-Control-Allow-Origin: *", Self.exposed]
                for _ in 0..<3 {
                    #expect(Self.crossing(desk.get(target, fields)) == expected)
                    #expect(Self.crossing(desk.ask(.head, target, fields)) == expected)
                }
                #expect(
                    Self.crossing(desk.ask(.post, target, fields)) == ["Access-Control-Allow-Origin: *", Self.exposed])
            }
        }
    }

    @Test("With a list each page on it may read every answer, and every answer varies by the origin")
    func listed() throws {
        let desk = try Self.desk("https://a.example, http://b.example:8080")
        let origins: [(sent: [String], echoed: String?)] = [
            ([], nil), (["https://a.example"], "https://a.example"),
            (["http://b.example:8080"], "http://b.example:8080"),
            (["https://c.example"], nil), (["https://a.example:1"], nil), (["https://a.exampl"], nil), (["null"], nil),
            (["*"], nil), ([""], nil), (["https://a.example", "http://b.example:8080"], nil),
        ]
        // Three times, so that answers made, kept and given again are all seen.
        for _ in 0..<3 {
            for (sent, echoed) in origins {
                let fields = sent.map { (name: "Origin", value: $0) }
                let permission = echoed.map { ["Access-Control-Allow-Origin: \($0)", Self.exposed] } ?? []
                for target in Self.targets {
                    let answer = desk.get(target, fields)
                    #expect(Self.crossing(answer) == Self.vary(target, origin: true) + permission)
                    #expect(desk.ask(.head, target, fields).headers == answer.headers)
                    guard answer.header("ETag") != nil else { continue }
                    let unchanged = desk.get(target, fields + [("If-None-Match", answer.entityTag)])
                    #expect(unchanged.status == 304)
                    #expect(unchanged.headers == answer.keepingLines)
                }
                #expect(Self.crossing(desk.ask(.delete, "/levels/", fields)) == ["Vary: Origin"] + permission)
                #expect(Self.crossing(desk.ask(.options, "/levels/", fields)) == ["Vary: Origin"] + permission)
            }
        }
    }

    @Test("Coded answers have it too, and are kept for each origin")
    func coded() throws {
        let desk = try Self.desk("https://a.example https://b.example")
        for _ in 0..<3 {
            for origin in ["https://a.example", "https://b.example"] {
                let answer = desk.get("/levels/", [("Origin", origin), ("Accept-Encoding", "br")])
                #expect(
                    answer.headers == [
                        "Content-Type: application/json", "Content-Encoding: br", "ETag: \(answer.entityTag)",
                        "Cache-Control: no-cache", "X-Content-Type-Options: nosniff",
                        "Vary: Accept-Encoding, Accept, Origin",
                        "Access-Control-Allow-Origin: \(origin)", Self.exposed,
                    ])
                #expect(answer.decoded == desk.get("/levels/", [("Origin", origin)]))
            }
        }
        let request = Request(target: "/levels/", fields: [("Origin", "https://b.example"), ("Accept-Encoding", "br")])
        #expect(desk.api.response(to: request) === desk.api.response(to: request))
    }

    @Test("A preflight is answered with the allowed requests, whatever the target")
    func preflight() throws {
        let asked = [
            ("Access-Control-Request-Method", "PATCH"), ("Access-Control-Request-Headers", "if-none-match,prefer"),
        ]
        for (origins, vary, echoed) in [
            ("*", [], "*"), ("https://a.example", ["Vary: Origin"], "https://a.example"),
        ] {
            let desk = try Self.desk(origins)
            let all = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
            for (target, allow) in [
                ("/levels/", "GET, HEAD, POST, OPTIONS"),
                ("/detail/no/such", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"), ("/x", all), ("*", all),
            ] {
                let answer = desk.ask(.options, target, [("Origin", "https://a.example")] + asked)
                #expect(answer.status == 204)
                #expect(
                    answer.headers == ["Allow: \(allow)"] + vary + [
                        "Access-Control-Allow-Origin: \(echoed)", "Access-Control-Allow-Methods: GET, HEAD, OPTIONS",
                        "Access-Control-Allow-Headers: If-None-Match, Prefer, Last-Event-ID, Accept, Content-Type, "
                            + "Authorization, If-Match, Cache-Control, Pragma, Drilldown-Revision",
                        "Access-Control-Max-Age: 7200",
                    ])
            }
        }
        let refused = try Self.desk("https://a.example").ask(
            .options, "/levels/", [("Origin", "https://c.example")] + asked)
        #expect(refused.status == 204)
        #expect(refused.headers == ["Allow: GET, HEAD, POST, OPTIONS", "Vary: Origin"])
    }

    @Test("A violation of HTTP is shown to every page if all may read, and otherwise to no page")
    func badRequests() throws {
        func crossing(_ origins: String) throws -> [String] {
            let api = try Self.desk(origins).api
            return Self.crossing(
                Answer(api.responder.response(to: .badRequest("It is too long.", status: 431), target: "/")))
        }
        #expect(try crossing("") == [])
        #expect(try crossing("*") == ["Access-Control-Allow-Origin: *", Self.exposed])
        #expect(try crossing("https://a.example") == ["Vary: Origin"])
    }

    @Test("A body refused before it is read is reported to the page that sends it")
    func refusal() throws {
        let api = try Self.desk("https://a.example").api
        let request = Request(method: .post, target: "/levels/", fields: [("Origin", "https://a.example")])
        let answer = api.responder.refusal(of: request).map { Answer($0) }
        #expect(answer?.status == 403)
        #expect(answer?.header("Access-Control-Allow-Origin") == "https://a.example")
    }

    @Test(
        "An origin is a scheme, a host and perhaps a port, as a browser writes them",
        arguments: [
            ("https://a.example", "https://a.example"), ("HTTPS://A.Example:8443", "https://a.example:8443"),
            ("https://a.example:443", "https://a.example"), ("http://a.example:80", "http://a.example"),
            ("http://a.example:443", "http://a.example:443"), ("http://localhost:5173", "http://localhost:5173"),
            ("http://[::1]:8080", "http://[::1]:8080"), ("http://[2001:DB8::1]", "http://[2001:db8::1]"),
            ("http://[FE80::9AF]", "http://[fe80::9af]"),
            ("capacitor://localhost", "capacitor://localhost"), ("http://127.0.0.1", "http://127.0.0.1"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ])
    func origin(_ text: String, _ expected: String) { #expect(Origin(text)?.text == expected) }

    @Test(
        "Anything else is refused with a sentence that says what would be right",
        arguments: [
            "https://a.example/", "https://a.example/path", "a.example", "//a.example", "https://", "https://:80",
            "https://a.example:", "https://a.example:0", "https://a.example:65536", "https://a.example:x",
            "https://a.example?x", "https://a.example#x", "https://user@a.example", "https://*.example", "null", "*",
            "https://bücher.example", "ht tp://a", "1http://a", "http://[::1", "http://[x]", "http://[::g]",
            "http://[::a-b]", "http://[1.2]", "https://a.example:+80",
            "https://a\r\nb", "https://a.example:٨٠",
        ])
    func noOrigin(_ text: String) {
        #expect(Origin(text) == nil)
        // A space divides one from the next.
        guard !text.contains(" ") && text != "*" else { return }
        let error = #expect(throws: AllowedOrigins.Malformed.self) { try AllowedOrigins("https://b.example,\(text)") }
        #expect(
            error?.description == """
                '\(text.replacing("\r\n", with: #"\u{D}\u{A}"#))' is not an origin: write scheme://host or scheme://host:port without a path, several separated by \
                commas, or * alone for all
                """)
    }

    @Test("An asterisk stands alone")
    func asterisk() {
        let error = #expect(throws: AllowedOrigins.Malformed.self) { try AllowedOrigins("https://b.example,*") }
        #expect(error?.text == "*")
    }
}
