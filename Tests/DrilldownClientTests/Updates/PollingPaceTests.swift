import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite(.timeLimit(.minutes(1)))
struct PollingPaceTests {
    @Test func `Answers that come early and tell nothing new are asked for less and less often`() {
        var pace = PollingPace(longest: 30)
        let pauses = (0..<8).map { _ in pace.pause(after: .milliseconds(1), isChange: false) }
        #expect(pauses == [0, 1, 2, 4, 8, 16, 30, 30])
        #expect(pace.pause(after: .seconds(30), isChange: false) == 0)
        #expect(pace.pause(after: .milliseconds(1), isChange: false) == 0)
        #expect(pace.pause(after: .milliseconds(1), isChange: false) == 1)
        #expect(pace.pause(after: .milliseconds(10), isChange: true) == 0.04)
        #expect(pace.pause(after: .seconds(1), isChange: true) == 0)
        #expect(pace.pause(after: .milliseconds(1), isChange: false) == 0)
    }

    @Test func `The time of waiting is one that the server accepts`() throws {
        var configuration = try Server.Configuration("http://127.0.0.1:8080")
        let waits = [-1, 0, 1, 30, 300, 301].map { seconds in
            configuration.waitSeconds = seconds
            return configuration.allowedWait
        }
        #expect(waits == [1, 1, 1, 30, 300, 300])
    }

    @Test func `A proxy that removes entity tags is not asked without a pause`() async throws {
        let origin = try StubOrigin { _ in StubOrigin.Answer.json(StubOrigin.Answer.level) }
        let server = try Server(origin(""))
        let (pauses, sender) = AsyncStream.makeStream(of: Double.self)
        let start = ContinuousClock.now
        server.observations.backoff.withLock { backoff in
            backoff.now = { start }
            backoff.rest = { seconds in
                sender.yield(seconds)
                // The test ends here, since the task that sleeps is cancelled with its observer.
                if seconds > 3 { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
        var updates = server.updates(matching: .searching(for: "A")).makeAsyncIterator()
        #expect(try await updates.next()?.level?.rows.map(\.key) == ["A"])
        var all: [Double] = []
        for await pause in pauses.prefix(4) { all.append(pause) }
        #expect(all == [0.05, 1, 2, 4])
        #expect(origin.requests.count == 5)
    }

    @Test func `One failure is not shown beside a level`() async throws {
        let unchanged = StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"was\":[")
        let waits = Guarded(0)
        let origin = try StubOrigin { request in
            guard request.path.contains("wait=") else {
                return StubOrigin.Answer.json(request.path.contains("since=") ? unchanged : StubOrigin.Answer.level)
            }
            let number = waits.withLock { waits in
                waits += 1
                return waits
            }
            if number == 1 { return .status("502 Bad Gateway", ["Retry-After": "7"]) }
            return number == 2 ? .json(StubOrigin.Answer.level.replacing("v1", with: "v2")) : .silence
        }
        let server = try Server(origin(""))
        let pauses = Guarded<[Double]>([])
        server.observations.backoff.withLock { backoff in
            backoff.random = { $0.lowerBound }
            backoff.sleep = { seconds in pauses.withLock { $0.append(seconds) } }
        }
        var updates = server.updates().makeAsyncIterator()
        #expect(try await updates.next()?.level?.version == "v1")
        let next = try #require(try await updates.next())
        #expect(next.level?.version == "v2" && next.interruption == nil)
        #expect(pauses.withLock { $0 } == [7])
    }

    @Test(arguments: [
        StubOrigin.Answer.status(
            "400 Bad Request", ["Content-Type": "application/problem+json"],
            Array(#"{"type":"/problems/bad-parameter","detail":"No.","parameter":"since"}"#.utf8)),
        .json(StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v0\",\"removed\":[\"A\"],\"was\":[")),
    ])
    func `The whole level follows if the server does not know a version, or its changes do not fit`(
        _ answer: StubOrigin.Answer
    ) async throws {
        let reads = Guarded(0)
        let origin = try StubOrigin { request in
            if request.path.contains("since=v1") { return answer }
            if request.path.contains("since=") { return .silence }
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            return .json(StubOrigin.Answer.level.replacing("v1", with: "v\(number)"))
        }
        let server = try Server(origin(""))
        var updates = server.updates().makeAsyncIterator()
        _ = try await updates.next()
        let next = try #require(try await updates.next())
        #expect(next.level?.version == "v2" && next.isCurrent)
        let paths = ["/levels/?limit=10000", "/levels/?limit=10000&since=v1&wait=30", "/levels/?limit=10000"]
        #expect(Array(origin.requests.map(\.path).prefix(3)) == paths)
    }

    @Test func `The first request after a failure does not wait`() async throws {
        let unchanged = StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"was\":[")
        let failures = Guarded(0)
        let origin = try StubOrigin { request in
            guard request.path.contains("wait=") else {
                return StubOrigin.Answer.json(request.path.contains("since=") ? unchanged : StubOrigin.Answer.level)
            }
            let number = failures.withLock { failures in
                failures += 1
                return failures
            }
            return number < 3 ? .status("502 Bad Gateway") : .silence
        }
        let server = try Server(origin(""))
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        var updates = server.updates().makeAsyncIterator()
        _ = try await updates.next()
        #expect(await origin.receives(requests: 6))
        let (first, again) = ("/levels/?limit=10000", "/levels/?limit=10000&since=v1")
        let waiting = again + "&wait=30"
        #expect(origin.requests.map(\.path) == [first, waiting, again, waiting, again, waiting])
    }

    @Test(arguments: [(20, [0.5, 0.5, 0.5, 0.5]), (0, [0.5, 1, 1, 1])])
    func `A proxy that cuts long polls does not slow them down unless it does so at once`(
        _ seconds: Int, _ delays: [Double]
    ) async throws {
        let time = Guarded(ContinuousClock.now)
        let unchanged = StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"was\":[")
        let origin = try StubOrigin { request in
            if request.path.contains("wait=") {
                time.withLock { $0 += .seconds(seconds) }
                return .last([])
            }
            return StubOrigin.Answer.json(request.path.contains("since=") ? unchanged : StubOrigin.Answer.level)
        }
        let server = try Server(origin(""))
        let (pauses, sender) = AsyncStream.makeStream(of: (isDelay: Bool, seconds: Double).self)
        server.observations.backoff.withLock { backoff in
            backoff.now = { time.withLock { $0 } }
            backoff.random = { $0.upperBound }
            backoff.sleep = { sender.yield((true, $0)) }
            backoff.rest = { sender.yield((false, $0)) }
        }
        var updates = server.updates().makeAsyncIterator()
        _ = try await updates.next()
        var (found, rests) = ([Double](), [Double]())
        for await pause in pauses {
            if pause.isDelay { found.append(pause.seconds) } else { rests.append(pause.seconds) }
            if found.count == delays.count { break }
        }
        #expect(found == delays)
        #expect(rests == [0.05])
    }
}
