import ContentCodings
import Foundation
import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("A remote document")
struct RemoteDocumentTests {
    private func document(
        _ url: String, bytes: Int = 10_000, patience: Duration = .seconds(20)
    ) throws -> RemoteDocument {
        RemoteDocument(address: try RemoteAddress(url), limits: .init(bytes: bytes, patience: patience))
    }

    /// The sentence with which a document is refused, the URL written as `~`.
    private func refusal(
        bytes: Int = 10_000, patience: Duration = .seconds(20),
        of answer: @escaping @Sendable (StubOrigin.Request) -> StubOrigin.Answer
    ) throws -> String {
        let origin = try StubOrigin(answer)
        do {
            _ = try document(origin(), bytes: bytes, patience: patience).load(replacing: nil)
            return "it was read"
        } catch {
            return "\(error)".replacing(origin(), with: "~").replacing(origin(""), with: "-")
        }
    }

    @Test("is read in each of the three syntaxes, whatever it is called")
    func syntaxes() throws {
        let value = [["Title": "A", "Text": "ä"]]
        let bodies = try [
            PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0),
            PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0),
            JSONSerialization.data(withJSONObject: value, options: .sortedKeys),
        ]
        let loaded = try bodies.map { body in
            let origin = try StubOrigin { _ in .status("200 OK", ["Content-Type": "text/plain"], Array(body)) }
            return try document(origin()).load(replacing: nil)
        }
        #expect(loaded.map(\.syntax) == [.xml, .binary, .json])
        #expect(loaded.map(\.tree.itemCount) == [1, 1, 1])
    }

    @Test("is asked for by a program with a name, with the user that its address holds")
    func request() throws {
        let origin = try StubOrigin { _ in .document(items("A")) }
        _ = try document(origin().replacing("//", with: "//me:se%20cret@")).load(replacing: nil)
        let request = try #require(origin.requests.first)
        #expect(request.line == "GET /Data.plist HTTP/1.1")
        #expect(request.fields["user-agent"] == "drilldown/0.1")
        #expect(request.fields["authorization"] == "Basic " + Data("me:se cret".utf8).base64EncodedString())
        #expect(request.fields["accept-encoding"] == "gzip")
        #expect(request.fields["if-none-match"] == nil)
        #expect(request.fields["prefer"] == nil)
    }

    @Test("is found where its address leads on to")
    func redirect() throws {
        let origin = try StubOrigin { request in
            request.path == "/c"
                ? .document(items("A")) : .status("302 Found", ["Location": request.path == "/b" ? "c" : "/b"])
        }
        let loaded = try document(origin()).load(replacing: nil)
        #expect(loaded.tree.document.child(0)?.title(0) == "A")
    }

    @Test("with an error in it is refused with its address, line and column, without the user")
    func place() throws {
        let origin = try StubOrigin { _ in .document("<plist>\n<array>\n  <nonsense/></array></plist>") }
        do {
            _ = try document(origin().replacing("//", with: "//me:secret@")).load(replacing: nil)
            Issue.record("it was read")
        } catch let error as SourceError {
            #expect(error.description.hasPrefix("\(origin()):3:3: in /: <nonsense> is not a property list element"))
        }
    }

    @Test("with a doubt in it gives its address, too")
    func warning() throws {
        let origin = try StubOrigin { _ in .document(#"[{"Title":"A","Childern":[]}]"#) }
        #expect(
            try document(origin()).load(replacing: nil).warnings.map(\.description) == [
                "\(origin()):1:15: in /A: 'Childern' is kept as a field; did you mean 'Children'?"
            ])
    }

    // MARK: Refusals

    @Test(
        "that its origin does not give is refused with the status and what is to be done",
        arguments: [
            ("404 Nix", "status 404 (Not Found): the server has no document there; name the URL of a property list."),
            (
                "403 x",
                "status 403 (Forbidden): the server does not allow reading it; allow it there, or use other credentials."
            ),
            (
                "401 x",
                "status 401 (Unauthorized): the server requires credentials; write https://USER:PASSWORD@HOST/PATH."
            ),
            ("429 x", "status 429 (Too Many Requests): the server received too many requests; raise Refresh."),
            ("500 x", "status 500 (Internal Server Error): the server failed; the request will be repeated."),
            (
                "503 x",
                "status 503 (Service Unavailable): the server cannot serve the document for now; the request will be repeated."
            ),
            (
                "407 x",
                "status 407 (Proxy Authentication Required): the proxy requires credentials; put a user name and password into its URL."
            ),
            ("406 x", "status 406 (Not Acceptable): the server has no property list in XML, binary or JSON."),
            ("410 x", "status 410 (Gone): the server has no document there; name the URL of a property list."),
            ("599 x", "status 599: the server failed; the request will be repeated."),
            ("418 x", "status 418: expected 200 and a document."),
            ("206 x", "status 206 (Partial Content): expected 200 and the whole document."),
            ("302 x", "status 302 (Found): the response does not say where the document is; name its URL."),
            (
                "304 x",
                "status 304 (Not Modified): the request had no condition to match; check the server."
            ),
        ])
    func status(_ status: String, _ sentence: String) throws {
        let body = status.hasPrefix("304") ? [] : Array("<html>".utf8)
        #expect(try refusal { _ in .status(status, [:], body) } == "~: the server responded with \(sentence)")
    }

    @Test("is refused where its address leads on for ever, to another protocol, or to nothing")
    func redirects() throws {
        #expect(
            try refusal { _ in .status("302 Found", ["Location": "/Data.plist"]) }
                == "~: it redirects more than 5 times; name the URL of the document itself.")
        for target in ["ftp://127.0.0.1/x", "file:///etc/passwd"] {
            #expect(
                try refusal { _ in .status("302 Found", ["Location": target]) }
                    == "~: it redirects to a URL that is neither http nor https; name the URL of the document itself.")
        }
        #expect(
            try refusal { request in
                request.path == "/Data.plist"
                    ? .status(
                        "302 Found",
                        [
                            "Location":
                                "http://u:p@127.0.0.1:\(request.fields["host"]?.split(separator: ":").last ?? "")/b?key=1"
                        ])
                    : .status("404 Not Found")
            }
                == "~: it redirects to -/b: the server responded with status 404 (Not Found): the server has no document there; name the URL of a property list."
        )
    }

    @Test("that is larger than the limit is refused before or while it comes in")
    func size() throws {
        let sentence =
            "~: the document is larger than 1000 bytes, which is the limit; split it, or raise MaxDocumentBytes."
        #expect(
            try refusal(bytes: 1_000) { _ in .bytes(StubOrigin.Answer.message("200 OK", ["Content-Length": "1001"], []))
            }
                == sentence)
        let piece = Array("100\r\n".utf8) + [UInt8](repeating: 0x20, count: 256) + Array("\r\n".utf8)
        #expect(
            try refusal(bytes: 1_000) { _ in
                .endless(StubOrigin.Answer.message("200 OK", ["Transfer-Encoding": "chunked"], []), piece: piece)
            } == sentence)
        let answers: [StubOrigin.Answer] = [
            .document(#"["A"]"#), .last(StubOrigin.Answer.message("200 OK", [:], Array(#"["A"]"#.utf8))),
        ]
        for answer in answers {
            #expect(try refusal(bytes: 5) { _ in answer } == "it was read")
            #expect(try refusal(bytes: 4) { _ in answer } == sentence.replacing("1000", with: "4"))
        }
    }

    @Test("that is small in transit and large unpacked is refused for its unpacked size")
    func bomb() throws {
        // A hundred thousand spaces.
        let bomb = try #require(
            Data(
                base64Encoded:
                    "H4sIAAAAAAACA+3BMQEAAADCoCrrn9IaHkABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAArwYt8HnKoIYBAA=="
            ))
        #expect(bomb.count < 200)
        #expect(
            try refusal { _ in .status("200 OK", ["Content-Encoding": "gzip"], Array(bomb)) }
                == "~: the document is larger than 10000 bytes, which is the limit; split it, or raise MaxDocumentBytes."
        )
        #expect(
            try refusal { _ in .status("200 OK", ["Content-Encoding": "gzip"], Array("no gzip".utf8)) }
                == "~: the response cannot be decoded: it is not gzip; check the server.")
    }

    private static func gzipped(_ text: String) -> [UInt8] {
        var coded: [UInt8] = []
        _ = ContentCoding.gzip.encode(text.utf8Span.span) { piece in
            for index in piece.indices { coded.append(piece[index]) }
        }
        return coded
    }

    @Test("that is compressed is read, also in two members and longer than the document may be")
    func compressed() throws {
        let (first, second) = (Self.gzipped("[\"A\","), Self.gzipped("\"B\"]"))
        for coding in ["gzip", "x-gzip", "GZIP"] {
            let origin = try StubOrigin { _ in .status("200 OK", ["Content-Encoding": coding], first + second) }
            #expect(try document(origin(), bytes: 9).load(replacing: nil).tree.itemCount == 2)
        }
    }

    @Test("whose compressed content lacks its end is refused, wherever it is cut")
    func truncated() throws {
        let whole = Self.gzipped("Name,N\n" + (0..<500).map { "Row \($0),\($0 &* 7919 % 1_000)\n" }.joined())
        for count in [1, 10, whole.count / 2, whole.count - 9, whole.count - 8, whole.count - 1] {
            let answer: @Sendable (StubOrigin.Request) -> StubOrigin.Answer = { _ in
                .status("200 OK", ["Content-Encoding": "gzip", "ETag": "\"a\""], Array(whole[..<count]))
            }
            #expect(
                try refusal(of: answer)
                    == "~: the response ended before it was complete; the request will be repeated.")
        }
        var damaged = whole
        damaged[whole.count - 5] ^= 1
        let coded = damaged
        #expect(
            try refusal { _ in .status("200 OK", ["Content-Encoding": "gzip"], coded) }
                == "~: the response cannot be decoded: it is not gzip; check the server.")
    }

    @Test("in a coding that was not asked for is refused", arguments: ["br", "deflate", "zstd", "gzip, gzip"])
    func foreignCoding(_ coding: String) throws {
        #expect(
            try refusal { _ in .status("200 OK", ["Content-Encoding": coding], Array("[]".utf8)) }
                == "~: the response has the content coding '\(coding)'; the request asks for gzip or none.")
    }

    @Test(
        "of the type text/html is refused, whatever it contains", arguments: ["text/html", "Text/HTML; charset=utf-8"])
    func page(_ type: String) throws {
        #expect(
            try refusal { _ in .status("200 OK", ["Content-Type": type], Array("[\"A\"]".utf8)) }
                == "~: the response is an HTML page, not a property list; use the URL of the property list itself.")
    }

    @Test(
        "has the format of its media type, or otherwise that of its name",
        arguments: [
            ("/export", "text/csv; charset=utf-8", "id;name\n1;x\n", ["x"]),
            ("/table", "text/tab-separated-values", "name,x\tn\na,b\t1\n", ["a,b"]),
            ("/lines", "application/x-ndjson", "{\"name\":\"x\"}\n", ["x"]),
            ("/data.csv?of=7", "text/plain", "id,name\n1,x\n", ["x"]),
            ("/data.csv", "application/json", "[\"a\"]", ["a"]),
        ])
    func format(path: String, type: String, body: String, titles: [String]) throws {
        let origin = try StubOrigin { _ in .status("200 OK", ["Content-Type": type], Array(body.utf8)) }
        var document = try document(origin(path))
        document.interpretation.records = RecordOptions()
        let level = try document.load(replacing: nil).tree.document.child(0)
        #expect(level.map { level in (0..<level.count).map(level.title) } == titles)
    }

    @Test("is not fetched through a redirect to this machine or its link, unless its own server is there")
    func localRedirects() {
        func isFollowed(_ addresses: String...) -> Bool {
            let reception = Reception(mostBytes: 1, pace: TransferPace(patience: .seconds(1), wait: nil, from: .now))
            return addresses.allSatisfy(reception.checkServer)
        }
        let local = ["127.0.0.1", "127.8.8.8", "::1", "::", "0.0.0.0", "::ffff:127.0.0.1"]
        let link = ["169.254.169.254", "fe80::1", "febf::1", "::ffff:169.254.0.1"]
        let elsewhere = ["192.0.2.1", "10.0.0.1", "2001:db8::1", "fec0::1", "::ffff:192.0.2.1", "12.7.0.1"]
        for origin in elsewhere {
            #expect(elsewhere.allSatisfy { isFollowed(origin, $0) && isFollowed(origin, $0, origin) })
            #expect((local + link).allSatisfy { !isFollowed(origin, $0) && !isFollowed(origin, origin, $0) })
        }
        for origin in local { #expect((local + elsewhere).allSatisfy { isFollowed(origin, $0) }) }
        for origin in link {
            #expect((link + elsewhere).allSatisfy { isFollowed(origin, $0) })
            #expect(local.allSatisfy { !isFollowed(origin, $0) })
        }
    }

    @Test("whose header does not end is refused")
    func endlessHeader() throws {
        let line = Array("X: \(String(repeating: "x", count: 1_000))\r\n".utf8)
        #expect(
            try refusal { _ in .endless(Array("HTTP/1.1 200 OK\r\n".utf8), piece: line) }
                == "~: the response header is larger than 256 KiB, which no document needs.")
    }

    @Test("whose header has an enormous line is refused for that", arguments: [110_000, 400_000])
    func longHeaderLine(_ count: Int) throws {
        #expect(
            try refusal { _ in
                .status("200 OK", ["X": String(repeating: "x", count: count)], Array("[]".utf8))
            }
                == "~: a line in the response header is longer than 100 KiB, which is the limit; shorten it on the server."
        )
    }

    private static let level = #"""
        {"title":"A","href":"/levels/a","detail":"/detail/a","version":"pQ3","depth":1,"leaf":true,"ancestors":[],"count":0,"sections":[{"title":null,"index":null,"start":0,"count":0}],"rows":[],"next":null}
        """#

    @Test(
        "that is another answer of a drilldown, or a page, names the URL to follow",
        arguments: [
            ("/levels/", level, "one level of a drilldown server's document", "-/document"),
            ("/levels", level, "one level of a drilldown server's document", "-/document"),
            ("/x/levels/a%20b/c?limit=2", level, "one level of a drilldown server's document", "-/x/document/a%20b/c"),
            (
                "/levels/levels/levels2", level, "one level of a drilldown server's document",
                "-/levels/document/levels2"
            ),
            ("/other", level, "one level of a drilldown server's document", "-/document"),
            (
                "/detail/a",
                #"{"title":"A","href":"/detail/a","level":"/levels/a","version":"pQ3","depth":1,"previous":null}"#,
                "the detail of one item of a drilldown server's document", "-/document/a"
            ),
            (
                "/changes?since=k3-1", #"{"revision":"k3-2","since":"k3-1","reset":false,"changes":[]}"#,
                "a drilldown server's list of changes", "-/document"
            ),
            (
                "/readyz", #"{"status":"ok","revision":"k3-1","source":"a","loadedAt":"2001-01-01","items":3}"#,
                "the status of a drilldown server", "-/document"
            ),
            (
                "/", #"{"title":"A","items":3,"links":{"levels":"/levels/","document":"/document"}}"#,
                "the index of a drilldown server", "-/document"
            ),
            (
                "/a", "\n<!DOCTYPE html>\n<html><head><title>A</title></head></html>", "an HTML page",
                "the URL of the property list itself"
            ),
            (
                "/a", "<HTML><head><meta charset=utf-8></head></HTML>", "an HTML page",
                "the URL of the property list itself"
            ),
        ])
    func mistaken(_ path: String, _ body: String, _ words: String, _ advice: String) throws {
        let origin = try StubOrigin { _ in .document(body) }
        let reason = "the response is \(words), not a property list; use \(advice.replacing("-/", with: origin("/")))"
        #expect(throws: SourceError(origin(path), reason: reason)) { try document(origin(path)).load(replacing: nil) }
    }

    @Test("that is cut short, empty or no HTTP at all says so")
    func cuts() throws {
        #expect(
            try refusal { _ in
                .last(StubOrigin.Answer.message("200 OK", ["Content-Length": "100"], Array("<plist>".utf8)))
            }
                == "~: the response ended before it was complete; the request will be repeated.")
        #expect(
            try refusal { _ in .last([]) }
                == "~: the connection ended before the response was complete (Empty reply from server); check the server."
        )
        #expect(try refusal { _ in .status("200 OK") } == "~: the response is empty; it must contain a property list.")
        #expect(
            try refusal { _ in .last(Array("SSH-2.0-nonsense\r\n".utf8)) }
                == "~: the server does not speak HTTP; name the URL of a web server.")
        #expect(
            try refusal { _ in .document("nonsense") }
                == "~: it is not a property list: it begins with neither '<' (XML), 'bplist00' (binary) nor '{' or '[' (JSON), but 'nonsense'."
        )
    }

    @Test("whose origin says nothing, or next to nothing, is given up")
    func slowness() throws {
        #expect(
            try refusal(patience: .seconds(1)) { _ in .silence }
                == "~: the server did not respond within 1 seconds; check the server, or raise FetchTimeout.")
        let head = StubOrigin.Answer.message("200 OK", ["Content-Length": "5000"], Array("<plist>".utf8))
        #expect(
            try refusal(patience: .seconds(1)) { _ in .bytes(head) }
                == "~: the response was slower than 1024 bytes a second for 1 seconds and was abandoned.")
    }

    @Test("whose server is not there, has no address or does not speak TLS, says so")
    func unreachable() throws {
        let origin = try StubOrigin { _ in .silence }
        origin.stop()
        #expect(throws: SourceError(origin(), reason: "cannot connect (Connection refused); is the server running?")) {
            try document(origin()).load(replacing: nil)
        }
        #expect(
            throws: SourceError(
                "http://nowhere.invalid/",
                reason: "the host name cannot be resolved; correct the name, or check the network's name service")
        ) { try document("http://nowhere.invalid/").load(replacing: nil) }
        let silent = try StubOrigin { _ in .silence }
        let secure = try document(silent().replacing("http:", with: "https:"))
        let reason = try #require(throws: SourceError.self) { try secure.load(replacing: nil) }.reason
        #expect(reason.contains(/^cannot connect securely \(.+\); is it an https server\?$/))
    }
}
