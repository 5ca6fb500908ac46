import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers that no service gives: each is reported in a sentence.
@Suite struct StrangeAnswerTests {
    @Test(arguments: [
        (
            "text/html", "<html>\nHi</html>", "16 bytes of the type text/html that begin with '<html> Hi</html>'",
            "it is not announced as JSON"
        ),
        (
            "application/json", "[1]", "3 bytes of the type application/json that begin with '[1]'",
            "it has '[' where an object was expected (at byte 0)"
        ),
        (
            "application/json", "{\"title\":", "9 bytes of the type application/json that begin with '{\"title\":'",
            "it ends where a text was expected (at byte 9)"
        ),
        (
            "application/json", "{\"title\":5}",
            "11 bytes of the type application/json that begin with '{\"title\":5}'",
            "it has '5' where a text was expected (at byte 9)"
        ),
        (
            "application/json", "{}", "2 bytes of the type application/json that begin with '{}'",
            "it has no 'href' (at byte 2)"
        ),
        ("application/json", "", "an empty body", "it ends where an object was expected (at byte 0)"),
        (
            "application/json", #"{"title":"","href":"/levels/","version":"v","since":"v"}"#,
            #"56 bytes of the type application/json that begin with '{"title":"","href":"/levels/","version":"v","sin…'"#,
            "it lists changes that were not requested (at byte 0)"
        ),
        ("", fortyEight, "48 bytes of no type that begin with '\(fortyEight)'", "it is not announced as JSON"),
        (
            "text/plain; charset=utf-8", fortyEight + "y",
            "49 bytes of the type text/plain that begin with '\(fortyEight)…'", "it is not announced as JSON"
        ),
    ])
    func `an answer that is not one of the service is told in a sentence`(
        _ type: String, _ body: String, _ summary: String, _ reason: String
    ) async throws {
        let origin = try StubOrigin { _ in StubOrigin.Answer.json(body, ["Content-Type": type]) }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(found?.kind == .unreadableAnswer)
        #expect(
            found?.detail
                == "\(origin("")) answered /levels/ with \(summary), which is not the answer of a drilldown service: \(reason)."
        )
    }

    private static let fortyEight = String(repeating: "x", count: 48)

    @Test(arguments: [
        ("300 Multiple Choices", "its status is 300."), ("399 Strange", "its status is 399."),
        ("400 Bad Request", "with the status 400 and an empty body."),
    ])
    func `a status that no service has is told`(_ status: String, _ end: String) async throws {
        let origin = try StubOrigin { _ in .status(status, [:]) }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(found?.detail.hasSuffix(end) == true)
    }

    @Test func `a media type in upper case is read, and a page without rows is passed over`() async throws {
        let type = ["Content-Type": "Application/JSON ; charset=utf-8"]
        let empty = StubOrigin.Answer.level.replacing(#""rows":["#, with: #""rows":[],"was":["#)
            .replacing(#""next":null"#, with: #""next":"/levels/?start=0""#)
        let origin = try StubOrigin { .json($0.path == "/levels/" ? empty : StubOrigin.Answer.level, type) }
        var keys: [String] = []
        for try await row in try Server(origin("")).rows() { keys.append(row.key) }
        #expect(keys == ["A"])
    }

    @Test func `a page that is its own next page, and an image without bytes, are told`() async throws {
        let level = StubOrigin.Answer.level.replacing(#""next":null"#, with: #""next":"/levels/""#)
        let origin = try StubOrigin { $0.path == "/levels/" ? .json(level) : .status("204 No Content", [:]) }
        let server = try Server(origin(""))
        #expect(
            try await problem { for try await _ in server.rows() {} }?.detail
                == "\(origin("")) answered /levels/ with a page whose next page is itself.")
        let found = try await problem { try await server.imageData(named: "a.png") }
        #expect(found?.detail.hasSuffix("its status is 204.") == true)
    }

    @Test(arguments: [
        (URLError.Code.timedOut, "it sent nothing for too long"), (.cannotFindHost, "its host name is unknown"),
        (.cannotConnectToHost, "cannot connect (is the server running?)"),
        (.notConnectedToInternet, "there is no network"),
        (.dnsLookupFailed, "its host name is unknown"), (.networkConnectionLost, "the connection was lost"),
        (.secureConnectionFailed, "no secure connection can be made ("),
        (.serverCertificateUntrusted, "no secure connection can be made ("),
        (.serverCertificateHasBadDate, "no secure connection can be made ("),
        (.serverCertificateHasUnknownRoot, "no secure connection can be made ("),
        (.serverCertificateNotYetValid, "no secure connection can be made ("),
    ])
    func `an answer that is missing has a reason in words`(_ code: URLError.Code, _ reason: String) {
        let problem = Problem.unreachable("/levels/?limit=1", of: "http://h", error: URLError(code))
        #expect(problem.detail.hasPrefix("http://h sent no complete answer to /levels/: \(reason)"))
        #expect(problem.isConnectionLost == (code == .networkConnectionLost))
    }

    @Test func `a status without a problem is told in a sentence`() async throws {
        let origin = try StubOrigin { _ in
            .status("502 Bad Gateway", ["Content-Type": "text/plain", "Retry-After": "7"], Array("no upstream".utf8))
        }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(
            found?.detail
                == "\(origin("")) answered /levels/ with the status 502 and 11 bytes of the type text/plain that begin with 'no upstream'."
        )
        #expect(found?.retryAfter == 7)
        #expect(found?.isTemporary == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a number of rows that the first page does not bear out is not believed`() async throws {
        let level = StubOrigin.Answer.level.replacing("\"count\":1,", with: "\"count\":9007199254740991,")
            .replacing("\"count\":1}", with: "\"count\":9007199254740991}")
        let origin = try StubOrigin { request in
            StubOrigin.Answer.json(request.path == "/changes" ? #"{"follow":"/changes?since=r"}"# : level)
        }
        let found = try await problem { try await Server(origin("")).wholeLevel() }
        #expect(found?.kind == .unreadableAnswer)
        #expect(
            found?.detail
                == "An answer to /levels/ has 1 rows from row 0 on, which does not fit a level of 9007199254740991 rows in pages of 10000."
        )
    }

    private static let sections: [[(start: Int, count: Int)]] = [
        [(0, 2)], [(0, 0)], [(1, 1)], [(0, 1), (0, 1)], [(0, 1), (1, 1)],
        Array(repeating: (0, 9_007_199_254_740_991), count: 2_000),
    ]

    @Test(arguments: sections)
    func `sections that do not divide the rows are refused`(_ sections: [(start: Int, count: Int)]) {
        let text = sections.map { "{\"start\":\($0.start),\"count\":\($0.count)}" }.joined(separator: ",")
        let level = StubOrigin.Answer.level.replacing(
            "[{\"title\":null,\"index\":null,\"start\":0,\"count\":1}]", with: "[\(text)]")
        let error = #expect(throws: JSONError.self) { try LevelReader.read(Array(level.utf8)) }
        #expect(error?.reason == "it has sections that do not divide its rows")
    }

    @Test func `an answer that is too deep ends an observation in a sentence`() async throws {
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let level = StubOrigin.Answer.level.replacing("\"fields\":{}", with: "\"fields\":{\"a\":\(deep)}")
        let origin = try StubOrigin { _ in StubOrigin.Answer.json(level) }
        var updates = try Server(origin("")).updates().makeAsyncIterator()
        let found = try await problem { try await updates.next() }
        #expect(found?.kind == .answerTooDeep)
        #expect(
            found?.detail
                == "The answer to /levels/?limit=10000 has more than the 512 lists and dictionaries within each other that this library reads."
        )
    }

    @Test func `a conflict that names no edit is that of the only edit`() async throws {
        let body = "{\"type\":\"/problems/conflict\",\"detail\":\"The file has changed.\"}"
        let origin = try StubOrigin { _ in
            .status("409 Conflict", ["Content-Type": "application/problem+json"], Array(body.utf8))
        }
        let server = try Server(origin(""), editToken: "0123456789abcdef")
        let edit = Edit.delete(["A"])
        let conflict = await #expect(throws: EditConflict.self) { try await server.perform([edit]) }
        #expect(conflict?.edit == edit && conflict?.problem.title == "conflict")
        let found = try await problem { try await server.perform([edit, edit]) }
        #expect(found?.kind == .conflict && found?.editIndex == nil)
        let far = try StubOrigin { _ in .problem("409 Conflict", "conflict", #","edit":2"#) }
        #expect(try await problem { try await Server(far("")).perform([edit, edit]) }?.editIndex == 2)
    }

    @Test func `a conflict whose current state cannot be read gives the reason`() async throws {
        let origin = try StubOrigin { request in
            request.line.hasPrefix("GET")
                ? .problem("503 Service Unavailable", "too-busy")
                : .problem("412 Precondition Failed", "precondition-failed")
        }
        let conflict = await #expect(throws: EditConflict.self) {
            try await Server(origin(""), editToken: "t").delete(["A"])
        }
        guard case .unknown(let problem) = conflict?.current else {
            Issue.record("\(String(describing: conflict))")
            return
        }
        #expect(problem.kind == .tooBusy && conflict?.currentVersion == nil)
        #expect(conflict?.description == "Someone else has changed this since it was read.")
    }

    @Test func `a merge that meets the version that it names again and again is a conflict`() async throws {
        let body = #"{"type":"/problems/precondition-failed","detail":"Another version."}"#
        let refusal = StubOrigin.Answer.status(
            "412 Precondition Failed", ["Content-Type": "application/problem+json"], Array(body.utf8))
        let origin = try StubOrigin(script: [refusal, .json(StubOrigin.detail), .json(StubOrigin.detail)])
        let server = try Server(origin(""), editToken: "0123456789abcdef")
        let detail = Detail(title: "A", path: ["A"], fieldsVersion: "f1")
        let conflict = await #expect(throws: EditConflict.self) { try await server.patch(["B": 1], of: detail) }
        #expect(conflict?.isOutdated == true && origin.requests.count == 2)
    }

    @Test(arguments: ["http://h/?a=b", "http://h/#top", "http://h?", "ftp://h", "h:1"])
    func `an address with a query or a fragment is none of a service`(_ address: String) async throws {
        let found = try await problem { try Server(address) }
        #expect(
            found?.detail
                == "'\(address)' is not the address of a service; write it as http://127.0.0.1:8080.")
        guard let url = URL(string: address) else { return }
        #expect(try await problem { try await Server(url).level(at: .root) }?.kind == .badAddress)
    }
}
