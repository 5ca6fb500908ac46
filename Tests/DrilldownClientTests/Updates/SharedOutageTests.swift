import Testing

@testable import DrilldownClient
@testable import TestSupport

/// Two levels that wait together for changes, and a request for changes that fails.
@Suite(.timeLimit(.minutes(1)))
struct SharedOutageTests {
    private let stub: StubOrigin
    private let server: Server
    /// The status of answers to requests for paths that begin so, how many are still answered so, and after which time.
    private let refusal = Guarded<(status: String, path: String, count: Int, seconds: Double)?>(nil)
    private let time = Guarded(ContinuousClock.now)
    private static let waiting = "/changes?since=r0&wait=20&format=json"

    init() throws {
        let (refusal, time) = (refusal, time)
        stub = try StubOrigin { request in
            let status = refusal.withLock { refusal -> String? in
                guard let known = refusal, known.count > 0, request.path.hasPrefix(known.path) else { return nil }
                refusal?.count -= 1
                time.withLock { $0 += .seconds(known.seconds) }
                return known.status
            }
            if let status { return .status(status) }
            if request.path.contains("wait=") { return .silence }
            if request.path.hasPrefix("/changes") { return .json(#"{"changes":[],"follow":"\#(Self.waiting)"}"#) }
            let name = request.path.dropFirst("/levels/".count).prefix(1)
            return .json(
                """
                {"title":"\(name)","href":"/levels/\(name)","version":"v1","leaf":true,"ancestors":[],"count":0,"rows":[],\
                "follow":"/levels/\(name)?since=v1&wait=20&format=json"}
                """)
        }
        server = try Server(stub(""))
        server.observations.backoff.withLock { backoff in
            backoff.now = { time.withLock { $0 } }
            backoff.sleep = { _ in await Task.yield() }
        }
    }

    private func count(_ text: String) -> Int { stub.requests.count { $0.path.contains(text) } }

    @Test(arguments: ["429 Too Many Requests", "408 Request Timeout", "503 Service Unavailable"])
    func `A temporary refusal does not end the shared wait, and only an outage repeats the link`(
        _ status: String
    ) async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        refusal.withLock { $0 = (status, Self.waiting, 3, 0) }
        _ = (try await first.next(), try await second.next())
        while count(Self.waiting) < 3 { await Task.yield() }
        let links = stub.requests.map(\.path).filter { $0.hasPrefix("/changes") }.prefix(3)
        #expect(links.map { $0.contains("since=r0") } == [false, true, status.hasPrefix("5")])
        // The first level may have waited by itself before the second was observed.
        #expect(stub.requests.count { $0.path.hasPrefix("/levels/") && $0.path.contains("wait=") } <= 1)
    }

    @Test(arguments: [("503 Service Unavailable", 1, 0.0), ("504 Gateway Timeout", 3, 15)])
    func `One failure of the shared wait, and a proxy that cuts it, are not shown`(
        _ status: String, _ count: Int, _ seconds: Double
    ) async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        while self.count(Self.waiting) < 1 { await Task.yield() }
        refusal.withLock { $0 = (status, Self.waiting, count, seconds) }
        server.retryNow()
        while self.count(Self.waiting) < count + 2 { await Task.yield() }
        for name in ["A", "B"] {
            let state = try await server.observations.join(LevelTarget(path: [name], query: .all)).next()
            #expect(state?.newest.number == 0)
        }
    }

    @Test func `A shared wait that fails after a second is repeated less and less often`() async throws {
        let (pauses, sender) = AsyncStream.makeStream(of: Double.self)
        server.observations.backoff.withLock { backoff in
            backoff.random = { $0.upperBound }
            backoff.sleep = { sender.yield($0) }
        }
        refusal.withLock { $0 = ("502 Bad Gateway", Self.waiting, .max, 1.2) }
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        var found: [Double] = []
        for await pause in pauses.prefix(4) { found.append(pause) }
        #expect(found == [1.5, 3, 6, 12])
        #expect(try await first.next { !$0.isConnected }?.interruption?.status == 502)
        #expect(try await second.next { !$0.isConnected }?.interruption?.status == 502)
    }

    @Test func `After an outage without a change, each level is current again`() async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        while count(Self.waiting) < 1 { await Task.yield() }
        for _ in 0..<2 {
            refusal.withLock { $0 = ("502 Bad Gateway", "/", .max, 0) }
            server.retryNow()
            #expect(try await first.next { !$0.isConnected }?.interruption?.status == 502)
            #expect(try await second.next { !$0.isConnected }?.interruption?.status == 502)
            refusal.withLock { $0 = nil }
            #expect(try await first.next { $0.isCurrent }?.level?.version == "v1")
            #expect(try await second.next { $0.isCurrent }?.level?.version == "v1")
        }
        // A read that fails now is repeated, although no change ends the shared wait.
        refusal.withLock { $0 = ("503 Service Unavailable", "/levels/C", 1, 0) }
        var third = server.updates(of: ["C"]).makeAsyncIterator()
        #expect(try await third.next { $0.isCurrent }?.level?.version == "v1")
    }

    @Test func `During an outage, only the request for changes is repeated`() async throws {
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        refusal.withLock { $0 = ("502 Bad Gateway", "/", .max, 0) }
        server.retryNow()
        #expect(try await first.next { !$0.isConnected }?.interruption?.status == 502)
        var third = server.updates(of: ["C"]).makeAsyncIterator()
        #expect(try await third.next()?.interruption?.status == 502)
        let repeated = count("/changes")
        while !Task.isCancelled, count("/changes") < repeated + 5 { await Task.yield() }
        #expect(count("/levels/C") == 1)
        refusal.withLock { $0 = nil }
        #expect(try await third.next { $0.isCurrent }?.level?.version == "v1")
    }
}
