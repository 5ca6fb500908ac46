import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite(.timeLimit(.minutes(1)))
struct PollingPaceTests {
    @Test func `Answers that come early and tell nothing new are asked for less and less often`() {
        var pace = PollingPace()
        let pauses = (0..<8).map { _ in pace.pause(after: .milliseconds(1), isChange: false) }
        #expect(pauses == [0, 1, 2, 4, 8, 16, 30, 30])
        #expect(pace.pause(after: .seconds(30), isChange: false) == 0)
        #expect(pace.pause(after: .milliseconds(1), isChange: false) == 0)
        #expect(pace.pause(after: .milliseconds(1), isChange: false) == 1)
        #expect(pace.pause(after: .milliseconds(10), isChange: true) == 0.04)
        #expect(pace.pause(after: .seconds(1), isChange: true) == 0)
        #expect(pace.pause(after: .milliseconds(1), isChange: false) == 0)
    }

    @Test func `A server that does not wait is not asked without a pause`() async throws {
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

    @Test func `The first request after a failure that is shown does not wait`() async throws {
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
        #expect(await origin.receives(requests: 5))
        let first = "/levels/?limit=10000"
        let (again, waiting) = (first + "&since=v1&format=json", first + "&since=v1&wait=20&format=json")
        #expect(origin.requests.map(\.path) == [first, waiting, waiting, again, waiting])
    }

    @Test(arguments: [
        (5.0, StubOrigin.Answer.last([]), [1.5, 1.5, 1.5, 1.5]),
        (20, .status("504 Gateway Timeout"), [1.5, 1.5, 1.5, 1.5]),
        (0, .last([]), [1.5, 3, 6, 12]), (4.9, .status("504 Gateway Timeout"), [1.5, 3, 6, 12]),
        (1.2, .status("502 Bad Gateway"), [1.5, 3, 6, 12]), (20, .status("502 Bad Gateway"), [1.5, 3, 6, 12]),
    ])
    func `A proxy that cuts waits after some seconds does not slow them down, but any other failure does`(
        _ seconds: Double, _ failure: StubOrigin.Answer, _ delays: [Double]
    ) async throws {
        let time = Guarded(ContinuousClock.now)
        let unchanged = StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"was\":[")
        let origin = try StubOrigin { request in
            if request.path.contains("wait=") {
                time.withLock { $0 += .seconds(seconds) }
                return failure
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
