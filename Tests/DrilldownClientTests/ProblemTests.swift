import Foundation
import Testing

@testable import DrilldownClient

@Suite struct ProblemTests {
    private func problem(_ members: String, status: Int = 409, _ header: [String: String] = [:]) -> Problem {
        let body = #"{"type":"/problems/conflict","title":"Conflict","status":409,"detail":"It is so.""# + members + "}"
        let header = header.merging(["content-type": "application/problem+json"]) { $1 }
        return Problem(
            Answer(status: status, header: header, body: Data(body.utf8), target: "/moves"), from: "http://host")
    }

    @Test func `every member of a problem is read`() {
        let found = problem(
            #","instance":"/moves","parameter":"limit","allowed":["a",1,true],"current":"\"v1\"","nearest":"/levels/A%20B","#
                + #""line":3,"column":14,"pointer":"/Rows/2","edit":0,"revision":"k-9","id":"4f","count":7"#)
        #expect(found.kind == .conflict)
        #expect(found.title == "Conflict")
        #expect(found.status == 409)
        #expect(found.detail == "It is so.")
        #expect(found.description == "It is so.")
        #expect(found.errorDescription == "It is so.")
        #expect(found.instance == "/moves")
        #expect(found.parameter == "limit")
        #expect(found.allowed == ["a", 1, true])
        #expect(found.currentEntityTag == "\"v1\"")
        #expect(found.currentVersion == "v1")
        #expect(found.nearest == ["A B"])
        #expect(found.line == 3)
        #expect(found.column == 14)
        #expect(found.pointer == "/Rows/2")
        #expect(found.editIndex == 0)
        #expect(found.revision == "k-9")
        #expect(found.id == "4f")
        #expect(found.members["count"] == 7)
        #expect(
            found.members.names == [
                "parameter", "allowed", "current", "nearest", "line", "column", "pointer", "edit", "revision", "id",
                "count",
            ])
    }

    @Test(arguments: [
        "", #","allowed":"a","nearest":5,"line":"3","column":1.5,"edit":null,"parameter":[],"current":{},"id":1"#,
    ])
    func `members that are missing, or of another type, are nil`(_ members: String) {
        let found = problem(members)
        #expect(found.allowed == [])
        let texts = [found.instance, found.parameter, found.currentEntityTag, found.pointer, found.revision, found.id]
        #expect(texts == Array(repeating: nil, count: 6))
        #expect(found.currentVersion == nil)
        #expect(found.nearest == nil)
        #expect([found.line, found.column, found.editIndex] == [nil, nil, nil])
        #expect(found.retryAfter == nil)
    }

    @Test(
        arguments: [(#"\"v\""#, "v"), (#"\"\""#, ""), (#"\""#, nil), (#"\"v"#, nil), (#"v\""#, nil)]
            as [(String, String?)])
    func `a current version is an entity tag in quotation marks`(_ tag: String, _ version: String?) {
        #expect(problem(#","current":"\#(tag)""#).currentVersion?.rawValue == version)
    }

    @Test func `the status is that of the answer`() { #expect(problem("", status: 412).status == 412) }

    @Test(arguments: [
        (408, true), (429, true), (500, true), (503, true), (507, true), (400, false), (404, false), (409, false),
    ])
    func `a fault of the server is temporary, one of the request is not`(_ status: Int, _ isTemporary: Bool) {
        #expect(problem("", status: status).isTemporary == isTemporary)
    }

    private static let delays: [(String, String?, Double?)] = [
        ("7", nil, 7), ("0", nil, 0), ("-1", nil, nil), ("nan", nil, nil), ("soon", nil, nil), ("", nil, nil),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:07 GMT", 30),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:07 GMT", 30),
        ("Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:07 GMT", 30),
        ("Thu, 01 Jan 2026 00:00:05 GMT", "Wed, 31 Dec 2025 23:59:59 GMT", 6),
        // A date that is past, by the clock of the server and by our own.
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:07 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 0), ("Sun, 06 Nov 1994 08:49:37 GMT", "today", 0),
        // The forms of RFC 850 and of C's asctime.
        ("Thursday, 01-Jan-26 00:00:05 GMT", "Wednesday, 31-Dec-25 23:59:59 GMT", 6),
        ("Tuesday, 31-Dec-69 23:59:59 GMT", "Tue, 31 Dec 2069 23:59:58 GMT", 1),
        ("Thursday, 01-Jan-76 00:00:09 GMT", "Thu, 01 Jan 1976 00:00:00 GMT", 9),
        ("Thu Jan  1 00:00:05 2026", "Wed, 31 Dec 2025 23:59:59 GMT", 6),
        ("Sun, 32 Jan 1994 08:49:37 GMT", nil, nil), ("Sun, 06 Nov 1994 24:49:37 GMT", nil, nil),
        ("Sun, 06 Nov 1994 08:49:37 CET", nil, nil), ("Sun, 06 Nov 994 08:49:37 GMT", nil, nil),
        ("Sun, 06 nov 1994 08:49:37 GMT", nil, nil),
        ("Sun, 06 Nov 1994 08:49 GMT", nil, nil), ("Sun, 06 Nov 1994", nil, nil),
    ]

    @Test(arguments: delays)
    func `the time to wait is read as seconds, and as a date`(_ text: String, _ date: String?, _ seconds: Double?) {
        var header = ["retry-after": text]
        header["date"] = date
        #expect(problem("", status: 503, header).retryAfter == seconds)
    }

    @Test func `a date without one of the server counts from now`() throws {
        let text = "Fri, 01 Jan 2100 00:00:00 GMT"
        let seconds = try #require(problem("", status: 503, ["retry-after": text]).retryAfter)
        let rest = Date(timeIntervalSince1970: 4_102_444_800).timeIntervalSinceNow
        #expect(seconds >= rest && seconds < rest + 60)
    }
}
