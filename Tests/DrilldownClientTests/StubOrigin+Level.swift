import Foundation

@testable import DrilldownClient
@testable import TestSupport

extension StubOrigin {
    /// Waits until there were so many requests, without holding a thread of the tests; false after twenty seconds.
    func receives(requests count: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.waits(forRequests: count)) }
        }
    }
}

extension StubOrigin {
    /// The detail of an item without fields.
    static let detail = """
        {"title":"A","href":"/detail/A","level":"/levels/A","version":"v1","fieldsVersion":"f1","depth":1,"leaf":true,\
        "count":0,"ancestors":[],"position":{"index":0,"of":2,"section":0,"first":true,"last":false},"previous":null,\
        "next":null,"firstChild":null,"lastChild":null,"fields":{},"follow":"/detail/A?since=v1&wait=20&format=json"}
        """
}

extension StubOrigin.Answer {
    /// A level of one row, in the first version.
    static let level = """
        {"title":"Root","href":"/levels/","detail":"/detail/","version":"v1","depth":0,"leaf":false,"ancestors":[],\
        "count":1,"sections":[{"title":null,"index":null,"start":0,"count":1}],\
        "rows":[{"key":"A","version":"w","title":"A","leaf":true,"count":0,"href":"/detail/A","fields":{}}],"next":null,\
        "follow":"/levels/?limit=10000&since=v1&wait=20&format=json"}
        """

    /// A page of a long level.
    static func page(of count: Int, from start: Int) -> StubOrigin.Answer {
        let rows = (start..<min(start + 10_000, count)).map { number in
            """
            {"key":"Row \(number)","version":"w","title":"Row \(number)","leaf":true,"count":0,\
            "href":"/detail/Long/Row%20\(number)","fields":{}}
            """
        }
        return json(
            """
            {"title":"Long","href":"/levels/Long","version":"v","depth":1,"leaf":false,"count":\(count),"start":\(start),\
            "sections":[{"start":0,"count":\(count)}],"rows":[\(rows.joined(separator: ","))],\
            "follow":"/levels/Long?limit=10000&start=\(start)&since=v&wait=20&format=json"}
            """)
    }

    /// The refusal of a request with a problem of a kind, and with further members of the problem.
    static func problem(_ status: String, _ kind: String, _ members: String = "") -> StubOrigin.Answer {
        let body = #"{"type":"/problems/\#(kind)","detail":"No."\#(members)}"#
        return .status(status, ["Content-Type": "application/problem+json"], Array(body.utf8))
    }

    static func json(_ body: String, _ fields: [String: String] = [:]) -> StubOrigin.Answer {
        .status("200 OK", ["Content-Type": "application/json"].merging(fields) { $1 }, Array(body.utf8))
    }
}

/// The problem that a request ends with; nil if it succeeds.
func problem<Value>(_ body: () async throws -> Value) async throws -> Problem? {
    do {
        _ = try await body()
        return nil
    } catch let problem as Problem {
        return problem
    }
}
