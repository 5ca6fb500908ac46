import Bytes
import Levels
import PropertyLists
import Testing

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// `?pretty=true`: JSON laid out for people.
@Suite("Pretty JSON") struct PrettyTests {
    private static let document =
        #"[{"Title":"a \"[{,:}]\" \\","Rows":["b"],"Tag":[1,-2.5e-07,[],{},[[]],{"x":{"y":null}}],"Value":{}},"c"]"#
        .replacing("null", with: "true")

    @Test("has a line for each member and element, two spaces for each level, and empty containers as they are")
    func whole() throws {
        #expect(
            try Desk(Self.document).get("/document?format=json&pretty=true").text
                == #"""
                [
                  {
                    "Title": "a \"[{,:}]\" \\",
                    "Rows": [
                      "b"
                    ],
                    "Tag": [
                      1,
                      -2.5,
                      [],
                      {},
                      [
                        []
                      ],
                      {
                        "x": {
                          "y": true
                        }
                      }
                    ],
                    "Value": {}
                  },
                  "c"
                ]

                """#.replacing("-2.5,", with: "-2.5e-07,"))
    }

    @Test("of a level has the version of the compact form, and a tag of its own in each coding")
    func level() throws {
        let desk = try Desk(#"["a"]"#)
        let compact = desk.get("/levels/")
        let version = compact.entityTag.dropFirst().dropLast()
        let answer = desk.get("/levels/?pretty=true")
        #expect(answer.status == 200)
        #expect(answer.entityTag == "\"\(version)-pretty\"" && answer.headers == answer.taggedHeaders())
        #expect(Self.compacted(answer.content) == compact.content)
        for token in ["gzip", "br"] {
            let coded = desk.get("/levels/?pretty=true", [("Accept-Encoding", "\(token), identity;q=0")])
            #expect(coded.entityTag == "\"\(version)-pretty-\(token)\"")
            #expect(coded.decoded == answer)
        }
        #expect(desk.get("/levels/?pretty=false").content == compact.content)
        #expect(desk.ask(.head, "/levels/?pretty=true").headers == answer.headers)
    }

    private static let long =
        "[" + (0..<2_000).map { #"{"Title":"row \#($0)","Tag":[{}]}"# }.joined(separator: ",") + "]"
    private static let targets = [
        "/", "/levels/row%201", "/levels/?limit=2000&fields=*", "/detail/", "/document?format=json",
        "/document/row%201?format=json", "/changes", "/changes?since=k3-0",
    ]

    private static func pretty(_ target: String) -> String {
        target + (target.contains("?") ? "&" : "?") + "pretty=true"
    }

    @Test("is the compact form except for white space, and 304 for clients that have it")
    func compact() throws {
        let desk = Desk(Desk.snapshot(try Document.tree(#"["old"]"#), revision: "k3-0"))
        desk.api.publish(Desk.snapshot(try Document.tree(Self.long)))
        for target in Self.targets {
            for field in ["identity", "br"] {
                let coding = [("Accept-Encoding", field)]
                let compact = desk.get(target, coding)
                let answer = desk.get(Self.pretty(target), coding)
                let whole = answer.decoded ?? answer
                #expect(Self.compacted(whole.content) == (compact.decoded ?? compact).content)
                #expect(Self.isLaidOut(whole.text))
                guard compact.header("ETag") != nil else { continue }
                #expect(answer.entityTag != compact.entityTag)
                let unchanged = desk.get(Self.pretty(target), coding + [("If-None-Match", answer.entityTag)])
                #expect(unchanged.status == 304)
                #expect(unchanged.headers == answer.keepingLines)
                #expect(desk.get(Self.pretty(target), coding + [("If-None-Match", compact.entityTag)]).status == 200)
            }
        }
    }

    @Test("of random documents is the compact form but for white space, however it is read")
    func random() throws {
        for seed in 0..<60 as Range<UInt64> {
            var random = RandomDocument(seed: seed, [.foundation, .textBeyondXML])
            let desk = Desk(Desk.snapshot(try random.document().tree()))
            for target in ["/levels/?fields=*", "/document?format=json"] {
                let compact = desk.get(target)
                let pretty = desk.get(target + "&pretty=true")
                #expect(Self.compacted(pretty.content) == compact.content, "seed \(seed)")
                #expect(Self.isLaidOut(pretty.text), "seed \(seed)")
                // Cut anywhere, it is laid out alike.
                var indentation = JSONIndentation()
                var output = ByteBuffer()
                let body = compact.text.replacing("?fields=%2A&since=", with: "?fields=%2A&pretty=true&since=")
                for byte in body.utf8 { indentation.append([byte].span, to: &output) }
                #expect(Array(copying: output.span) == pretty.body)
            }
        }
    }

    @Test("of a delta is laid out too, and a page's next link keeps it")
    func deltaAndPage() throws {
        let desk = Desk(Desk.snapshot(try Document.tree(#"["a","b"]"#)))
        let since = desk.get("/levels/").entityTag.dropFirst().dropLast()
        let page = desk.get("/levels/?pretty=true&limit=1")
        let next = try #require(page.text.firstMatch(of: /"next": "([^"]*)"/)?.output.1)
        #expect(next.hasPrefix("/levels/?limit=1&pretty=true&after="))
        #expect(page.header("Link") == "<\(next)>; rel=\"next\"")
        #expect(desk.get(String(next)).text.contains(#""next": null"#))
        desk.api.publish(Desk.snapshot(try Document.tree(#"["b"]"#), revision: "k3-2"))
        let delta = desk.get("/levels/?since=\(since)&pretty=true")
        #expect(Self.compacted(delta.content) == desk.get("/levels/?since=\(since)").content)
        #expect(delta.entityTag == desk.get("/levels/?pretty=true").entityTag)
    }

    @Test("is waited for like any other", arguments: targets.filter { !$0.hasPrefix("/changes") && $0 != "/" })
    func wait(_ target: String) throws {
        let desk = Desk(Desk.snapshot(try Document.tree(Self.long)))
        let tag = desk.get(Self.pretty(target)).entityTag
        let fields = [("If-None-Match", tag), ("Prefer", "wait=30")]
        let request = Request(target: Self.pretty(target), fields: fields)
        let waiters = try (0..<2).map { _ in try #require(desk.api.respond(to: request).waiter) }
        desk.api.publish(
            Desk.snapshot(try Document.tree(#"[{"Title":"row 1","Tag":5,"Rows":["x"]},"new"]"#), revision: "k3-2"))
        for waiter in waiters {
            #expect(Answer(try #require(waiter.response)).body == desk.get(Self.pretty(target)).body)
        }
    }

    @Test("is asked for by the name alone, too")
    func nameAlone() throws {
        let desk = Desk(Desk.snapshot(try Document.tree(#"["a","b"]"#)))
        for target in Self.targets + ["/levels/?limit=1", "/levels/?pages", "/nothing"] {
            let separator = target.contains("?") ? "&" : "?"
            let answer = desk.get("\(target)\(separator)pretty")
            let named = desk.get(Self.pretty(target))
            #expect(answer.status == named.status)
            #expect(answer.text == named.text.replacing("\(separator)pretty=true\"", with: "\(separator)pretty\""))
        }
        #expect(desk.get("/document?inline&format=json").text == desk.get("/document?format=json").text)
    }

    @Test(
        "goes with JSON alone",
        arguments: [
            ("/levels/?pretty=true&format=plist", ""), ("/detail/a?format=plist&pretty=true", ""),
            ("/document?pretty=true", ""), ("/document?format=binary&pretty=true", ""),
            ("/levels/?pretty=true", "application/x-plist"),
        ])
    func otherFormat(_ target: String, _ accept: String) throws {
        let desk = try Desk(#"["a"]"#)
        let answer = desk.get(target, [("Accept", accept)])
        #expect(answer.status == 400)
        #expect(
            answer.compact == """
                {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,"detail":"'pretty' applies only to \
                JSON; add format=json, or omit 'pretty'.","instance":"\(target)","parameter":"pretty"}
                """)
        #expect(desk.get(target.replacing("pretty=true", with: "pretty=false"), [("Accept", accept)]).status == 200)
    }

    @Test("goes with no stream of events")
    func stream() throws {
        let answer = try Desk("[]").get("/changes?pretty=true", [("Accept", "text/event-stream")])
        #expect(answer.status == 400)
        #expect(answer.text.contains("'pretty' applies only to JSON, not to a stream of events; omit it."))
    }

    @Test("is asked for by true or false", arguments: ["1", "", "TRUE", "yes"])
    func malformed(_ value: String) throws {
        for target in ["/", "/levels/", "/detail/", "/document", "/changes"] {
            let answer = try Desk("[]").get("\(target)?pretty=\(value)")
            #expect(answer.status == 400)
            #expect(
                answer.line.hasSuffix(
                    """
                    "detail":"'pretty' must be true or false, not '\(value)'.","instance":"\(target)?pretty=\(value)",\
                    "parameter":"pretty","allowed":["true","false"]}
                    """))
        }
    }

    /// Hands over pieces, and counts them.
    private final class Source: PieceSource {
        let pieces: [[UInt8]]
        private(set) var taken = 0

        init(_ pieces: [[UInt8]]) { self.pieces = pieces }

        var memory: Int { 0 }
        var sharedBody: Response.Body? { nil }

        func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool {
            guard taken < pieces.count else { return false }
            let piece = pieces[taken]
            taken += 1
            take(piece.span, taken == pieces.count)
            return true
        }
    }

    @Test("of a deep document comes in pieces, and takes no more of it than is sent")
    func memory() throws {
        let depth = 1_000
        let ones = (0..<2_000).map { _ in "1" }.joined(separator: ",")
        let compact = String(repeating: "[", count: depth) + ones + String(repeating: "]", count: depth)
        let bytes = Array(compact.utf8)
        let source = Source(
            stride(from: 0, to: bytes.count, by: 1_000).map { Array(bytes[$0..<min($0 + 1_000, bytes.count)]) })
        let stream = IndentedStream(source)
        var sent = 0
        var isLast = false
        while !isLast {
            let before = source.taken
            try #require(
                stream.takePiece { piece, last in
                    #expect(piece.count < 64 << 10 + 1_000 * (2 * depth + 2))
                    sent += piece.count
                    isLast = last
                })
            #expect(source.taken <= before + 2)
        }
        // Each element is a line.
        #expect(sent > 2_000 * 2 * depth)
        #expect(source.taken == source.pieces.count)
    }

    @Test("of a stream that breaks off is cut")
    func cut() {
        let stream = IndentedStream(Source([]))
        guard case .failed = stream.writeAhead() else {
            Issue.record("it goes on")
            return
        }
        #expect(!stream.takePiece { _, _ in })
    }

    // MARK: The plainest way

    /// The text without white space outside of strings, but for the last line feed.
    private static func compacted(_ text: String) -> String {
        var result: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in text.utf8 {
            if isInString || (byte != 0x20 && byte != 0x0A) { result.append(byte) }
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = isInString && !isEscaped && byte == UInt8(ascii: "\\")
        }
        return String(decoding: result, as: UTF8.self) + "\n"
    }

    /// Whether each line is indented as deep as the containers that are open before it.
    private static func isLaidOut(_ text: String) -> Bool {
        var depth = 0
        for line in text.split(separator: "\n") {
            let spaces = line.prefix { $0 == " " }.count
            let rest = line.dropFirst(spaces)
            if let first = rest.first, "]}".contains(first) { depth -= 1 }
            guard spaces == 2 * depth else { return false }
            if let last = rest.last, "[{".contains(last) { depth += 1 }
        }
        return depth == 0
    }
}
