import Testing

@testable import DrilldownClient
@testable import TestSupport

/// Two levels that wait together for changes, and a request for changes that fails.
@Suite(.timeLimit(.minutes(1)))
struct SharedOutageTests {
    private let stub: StubOrigin
    private let server: Server
    /// The status of answers to requests for paths that begin so, and how many are still answered so.
    private let refusal = Guarded<(status: String, path: String, count: Int)?>(nil)
    private static let waiting = "/changes?since=r0&wait=30"

    init() throws {
        let refusal = refusal
        stub = try StubOrigin { request in
            let status = refusal.withLock { refusal -> String? in
                guard let known = refusal, known.count > 0, request.path.hasPrefix(known.path) else { return nil }
                refusal?.count -= 1
                return known.status
            }
            if let status { return .status(status) }
            if request.path.contains("wait=") { return .silence }
            if request.path.hasPrefix("/changes") { return .json(#"{"revision":"r0","changes":[]}"#) }
            let name = request.path.dropFirst("/levels/".count).prefix(1)
            return .json(
                """
                {"title":"\(name)","href":"/levels/\(name)","version":"v1","leaf":true,"ancestors":[],"count":0,"rows":[]}
                """)
        }
        server = try Server(stub(""))
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
    }

    private func count(_ text: String) -> Int { stub.requests.count { $0.path.contains(text) } }

    @Test(arguments: ["429 Too Many Requests", "408 Request Timeout", "503 Service Unavailable"])
    func `A temporary refusal does not end the shared wait`(_ status: String) async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        refusal.withLock { $0 = (status, Self.waiting, 3) }
        _ = (try await first.next(), try await second.next())
        while count(Self.waiting) < 3 { await Task.yield() }
        // The first level may have waited by itself before the second was observed.
        #expect(stub.requests.count { $0.path.hasPrefix("/levels/") && $0.path.contains("wait=") } <= 1)
    }

    @Test func `One failure of the shared wait is not shown`() async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        while count(Self.waiting) < 1 { await Task.yield() }
        refusal.withLock { $0 = ("503 Service Unavailable", Self.waiting, 1) }
        server.retryNow()
        while count(Self.waiting) < 3 { await Task.yield() }
        for name in ["A", "B"] {
            let state = try await server.observations.join(LevelTarget(path: [name], query: .all)).next()
            #expect(state?.newest.number == 0)
        }
    }

    @Test func `After an outage without a change, each level is current again`() async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        while count(Self.waiting) < 1 { await Task.yield() }
        for _ in 0..<2 {
            refusal.withLock { $0 = ("502 Bad Gateway", "/", .max) }
            server.retryNow()
            #expect(try await first.next { !$0.isConnected }?.interruption?.status == 502)
            #expect(try await second.next { !$0.isConnected }?.interruption?.status == 502)
            refusal.withLock { $0 = nil }
            #expect(try await first.next { $0.isCurrent }?.level?.version == "v1")
            #expect(try await second.next { $0.isCurrent }?.level?.version == "v1")
        }
        // A read that fails now is repeated, although no change ends the shared wait.
        refusal.withLock { $0 = ("503 Service Unavailable", "/levels/C", 1) }
        var third = server.updates(of: ["C"]).makeAsyncIterator()
        #expect(try await third.next { $0.isCurrent }?.level?.version == "v1")
    }
}
