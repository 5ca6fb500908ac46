import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests and sessions that an app changes, and the log of them.
@Suite(.timeLimit(.minutes(1)))
struct ConfigurationTests {
    @Test func `an app changes each request and the settings of the sessions, and hears of each request`() async throws
    {
        let origin = try StubOrigin { request in
            request.path.hasPrefix("/detail")
                ? .problem("404 Not Found", "no-such-item") : .json(StubOrigin.Answer.level)
        }
        let entries = Guarded<[ServerConfiguration.LogEntry]>([])
        let count = Guarded(0)
        var configuration = try Server.Configuration(origin(""))
        configuration.headerFields = ["X-Key": "k", "X-Number": "0"]
        configuration.prepareRequest = { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
        }
        configuration.prepareSession = { $0.httpAdditionalHeaders = ["X-Own": "session"] }
        configuration.log = { entry in entries.withLock { $0.append(entry) } }
        let server = Server(configuration)
        _ = try await server.level()
        await #expect(throws: Problem.self) { try await server.detail(at: ["A"]) }
        _ = try await server.imageData(named: origin("/image"))
        #expect(origin.requests.map { $0.fields["x-number"] } == ["1", "2", nil])
        #expect(origin.requests.map { $0.fields["x-key"] } == ["k", "k", nil])
        #expect(origin.requests.allSatisfy { $0.fields["x-own"] == "session" })
        configuration.send = { _ in throw URLError(.notConnectedToInternet) }
        await #expect(throws: Problem.self) { try await Server(configuration).level() }
        let found = entries.withLock { $0 }
        #expect(
            found.map(\.status) == [200, 404, 200, nil] && found.map { $0.error == nil } == [true, true, true, false])
        let texts = found.map { $0.description.replacing(/[0-9.]+ seconds$/, with: "") }
        let length = StubOrigin.Answer.level.utf8.count
        #expect(
            texts == [
                "GET /levels/: 200, \(length) bytes, ", "GET /detail/A: 404, \(found[1].bytes) bytes, ",
                "GET \(origin("/image")): 200, \(length) bytes, ",
                "GET /levels/: \(origin("")) sent no complete answer to /levels/: there is no network., ",
            ])
    }

    @Test func `a service that asks for a token refuses the request`() async throws {
        for scheme in ["Bearer"] {
            let origin = try StubOrigin { _ in .status("401 Unauthorized", ["WWW-Authenticate": scheme], []) }
            #expect(try await problem { try await Server(origin("")).level() }?.status == 401)
        }
    }

    @Test(arguments: [
        (1.0, 30.0, 300.0, [1.0, 2, 4, 30], 300.0), (0.5, 2, 10, [0.5, 1, 2, 2], 10),
        (-1, -1, -1, [0.01, 0.01, 0.01, 0.01], 0.01),
    ])
    func `the pauses after failures are those of the configuration`(
        _ first: Double, _ longest: Double, _ longestRetryAfter: Double, _ pauses: [Double], _ retryAfter: Double
    ) throws {
        var configuration = try Server.Configuration("http://service")
        (configuration.retry.first, configuration.retry.longest) = (first, longest)
        configuration.retry.longestRetryAfter = longestRetryAfter
        var backoff = Server(configuration).observations.backoff.withLock { $0 }
        backoff.random = { $0.lowerBound }
        #expect([1, 2, 3, 40].map { backoff.delay(after: $0, retryAfter: nil) } == pauses)
        #expect(backoff.delay(after: 1, retryAfter: 1_000) == retryAfter)
        #expect(backoff.delay(after: 1, retryAfter: 0) == pauses[0])
    }
}
