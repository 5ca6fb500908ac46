import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

/// The session's behaviour that the client relies on, against a server that answers byte for byte.
@Suite struct TransportTests {
    @Test func `the tag of an answer is sent, and 304 gives what was read then`() async throws {
        let tags = ["ETag": "\"v1\""]
        let origin = try StubOrigin(script: [
            StubOrigin.Answer.json(StubOrigin.Answer.level, tags),
            .bytes(StubOrigin.Answer.message("304 Not Modified", tags, [])),
            .bytes(StubOrigin.Answer.message("304 Not Modified", tags, [])),
        ])
        let server = try Server(origin(""))
        let first = try await server.level(at: .root)
        #expect(try await server.level(at: .root) == first)
        #expect(try await server.level(at: .root) == first)
        #expect(origin.requests.map { $0.fields["if-none-match"] } == [nil, "\"v1\"", "\"v1\""])
        #expect(origin.requests.map { $0.fields["accept"] } == Array(repeating: "application/json", count: 3))
        #expect(origin.requests.allSatisfy { $0.fields["accept-encoding"]?.contains("gzip") == true })
    }

    @Test func `a redirect within the server keeps the token, one to another server loses it`() async throws {
        let other = try StubOrigin { _ in StubOrigin.Answer.json(StubOrigin.Answer.level) }
        let origin = try StubOrigin(script: [
            .status("302 Found", ["Location": "/moved"]), StubOrigin.Answer.json(StubOrigin.Answer.level),
            .status("307 Temporary Redirect", ["Location": other("/levels/")]),
        ])
        let server = try Server(origin(""), readToken: "reader")
        #expect(try await server.level(at: .root).title == "Root")
        #expect(try await server.level(at: ["A"]).title == "Root")
        #expect(origin.requests.map { $0.fields["authorization"] } == Array(repeating: "Bearer reader", count: 3))
        #expect(origin.requests.map(\.path) == ["/levels/", "/moved", "/levels/A"])
        #expect(other.requests.map { $0.fields["authorization"] } == [nil])
    }

    @Test func `redirects without end are refused`() async throws {
        let origin = try StubOrigin { _ in .status("302 Found", ["Location": "/levels/"]) }
        let server = try Server(origin(""))
        #expect(
            try await problem { try await server.level(at: .root) }?.detail
                == "\(origin("")) answered /levels/ with an empty body, which is not the answer of a drilldown service: it redirects to /levels/."
        )
        #expect(origin.requests.count == 6)
    }

    @Test func `an edit is never redirected`() async throws {
        let origin = try StubOrigin { _ in .status("307 Temporary Redirect", ["Location": "/elsewhere"]) }
        let server = try Server(origin(""), editToken: "editor")
        var request = Request("/edits")
        request.method = "POST"
        request.isEdit = true
        request.body = Data("{}".utf8)
        #expect(
            try await problem { try await server.transport.send(request) }?.detail
                == "\(origin("")) answered /edits with an empty body, which is not the answer of a drilldown service: it redirects to /elsewhere."
        )
        #expect(origin.requests.map(\.line) == ["POST /edits HTTP/1.1"])
    }

    @Test func `a cancelled request ends at once with a cancellation`() async throws {
        let origin = try StubOrigin { _ in .silence }
        let server = try Server(origin(""))
        let task = Task { try await server.level(at: .root) }
        #expect(await origin.receives(requests: 1))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a silent server ends the request after the timeout`() async throws {
        let origin = try StubOrigin { _ in .silence }
        var configuration = try Server.Configuration(origin(""))
        configuration.timeout = 1
        let server = Server(configuration)
        let found = try await problem { try await server.level(at: .root) }
        #expect(found?.kind == .unreachable)
        #expect(found?.detail == "\(origin("")) sent no complete answer to /levels/: it sent nothing for too long.")
    }

    @Test func `an answer that is cut off is no answer`() async throws {
        let fields = ["Content-Type": "application/json", "Content-Length": "5000"]
        let origin = try StubOrigin { _ in .last(StubOrigin.Answer.message("200 OK", fields, Array("{\"a\":".utf8))) }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(found?.kind == .unreachable)
        #expect(found?.isTemporary == true)
    }

    @Test func `an endless answer is ended at the limit`() async throws {
        let piece = Array(repeating: UInt8(ascii: " "), count: 65_536)
        let head = StubOrigin.Answer.message("200 OK", ["Content-Type": "application/json"], [])
        let origin = try StubOrigin { _ in .endless(head, piece: piece) }
        var configuration = try Server.Configuration(origin(""))
        configuration.maximumAnswerBytes = 1 << 20
        let server = Server(configuration)
        let found = try await problem { try await server.level(at: .root) }
        #expect(found?.kind == .answerTooLong)
        #expect(found?.detail == "The answer to /levels/ has more than the 1048576 bytes that are allowed.")
    }

    @Test func `a long answer that is announced is not read at all`() async throws {
        let origin = try StubOrigin { _ in
            .last(StubOrigin.Answer.message("200 OK", ["Content-Length": "999999999999"], []))
        }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(found?.kind == .answerTooLong)
    }

    @Test func `many requests wait at once, and do not keep others waiting`() async throws {
        let origin = try StubOrigin {
            $0.path.contains("wait") ? .silence : StubOrigin.Answer.json(StubOrigin.Answer.level)
        }
        let server = try Server(origin(""))
        let waiting = (0..<50).map { number in
            Task {
                var request = Request("/levels/\(number)?wait=30")
                // As that of each observed level.
                request.session = RenewedSession(connections: 1, server.configuration)
                return try await server.transport.send(request)
            }
        }
        #expect(await origin.receives(requests: 50))
        #expect(try await server.level(at: .root).title == "Root")
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    }
}
