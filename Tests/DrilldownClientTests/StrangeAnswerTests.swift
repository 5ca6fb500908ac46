import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

/// Answers that no service gives: each is told in a sentence.
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

    @Test func `a status without a problem is told in a sentence`() async throws {
        let origin = try StubOrigin { _ in
            .status("502 Bad Gateway", ["Content-Type": "text/plain", "Retry-After": "7"], Array("no upstream".utf8))
        }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(
            found?.detail
                == "\(origin("")) answered /levels/ with the status 502 (Bad gateway) and 11 bytes of the type text/plain that begin with 'no upstream'."
        )
        #expect(found?.retryAfter == 7)
        #expect(found?.isTemporary == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a number of rows that the first page does not bear out is not believed`() async throws {
        let level = StubOrigin.Answer.level.replacing("\"count\":1,", with: "\"count\":9007199254740991,")
            .replacing("\"count\":1}", with: "\"count\":9007199254740991}")
        let origin = try StubOrigin { request in
            StubOrigin.Answer.json(request.path == "/" ? "{\"revision\":\"r\"}" : level)
        }
        let found = try await problem { try await Server(origin("")).wholeLevel() }
        #expect(found?.kind == .unreadableAnswer)
        #expect(
            found?.detail
                == "An answer to /levels/ has 1 rows from row 0 on, which does not fit a level of 9007199254740991 rows in pages of 10000."
        )
    }
}
