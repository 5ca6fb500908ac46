import HTTPServer
import TestSupport
import Testing

@testable import HTTPServer

@Suite("The counters of a server")
struct CounterTests {
    private func ended(
        _ status: Int, route: Int = 1, method: HTTPServer.Method = .get, nanoseconds: Int = 60_000,
        hasWaited: Bool = false, isComplete: Bool = true
    ) -> EndedRequest {
        EndedRequest(
            route: route, method: method, status: status, size: 10, nanoseconds: nanoseconds, hasWaited: hasWaited,
            isComplete: isComplete)
    }

    @Test("is kept by route, method and status")
    func places() {
        let counters = ServerCounters(routes: 3)
        let shard = counters.shard
        for _ in 0..<3 { shard.note(ended(200)) }
        shard.note(ended(304, route: 2, method: .head))
        shard.note(ended(418, route: 2, method: .other))
        // A route that does not exist is as none.
        shard.note(ended(404, route: 99))
        let totals = counters.totals
        #expect(totals.requests(route: 1, method: .get, status: 200) == 3)
        #expect(totals.requests(route: 2, method: .head, status: 304) == 1)
        #expect(totals.requests(route: 2, method: .other, status: 0) == 1)
        #expect(totals.requests(route: 0, method: .get, status: 404) == 1)
        #expect((0..<3).map(totals.bytes) == [10, 30, 20])
        #expect(totals.unanswered == 0)
    }

    @Test("Durations are divided by upper bounds that belong to their bucket; waits are counted apart")
    func durations() {
        let counters = ServerCounters(routes: 2)
        for nanoseconds in [0, 50_000, 50_001, 99_000_000_000] {
            counters.shard.note(ended(200, nanoseconds: nanoseconds))
        }
        counters.shard.note(ended(200, nanoseconds: 40_000_000_000, hasWaited: true))
        let durations = counters.totals.durations(route: 1, isWait: false)
        #expect(durations.buckets == [2, 1] + [Int](repeating: 0, count: 15) + [1])
        #expect(durations.sum == 99_000_100_001)
        #expect(durations.count == 4)
        let waits = counters.totals.durations(route: 1, isWait: true)
        #expect(waits.buckets == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0])
        #expect(waits.sum == 40_000_000_000)
    }

    @Test(
        "Durations are divided at 1, 2.5 and 5 of each power of ten from 50 µs to 10 s, waits from a second to an hour")
    func bounds() {
        let durations = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
        #expect(DurationBuckets.requests.bounds.map { Double($0) / 1e6 } == durations)
        #expect(DurationBuckets.waits.bounds.map { Double($0) / 1e9 } == [1, 5, 15, 30, 60, 120, 300, 900, 3_600])
    }

    @Test("Requests without an answer and answers that are cut off are counted")
    func ends() {
        let counters = ServerCounters()
        counters.shard.note(ended(0))
        counters.shard.note(ended(200, route: 0, isComplete: false))
        #expect(counters.totals.unanswered == 1)
        #expect(counters.totals.incomplete == 1)
        #expect(counters.totals.requests(route: 0, method: .get, status: 200) == 1)
    }

    @Test("by several threads is complete")
    func threads() throws {
        let counters = ServerCounters()
        try concurrently(4) { _ in for _ in 0..<10_000 { counters.shard.note(ended(200, route: 0)) } }
        #expect(counters.totals.requests(route: 0, method: .get, status: 200) == 40_000)
    }

    @Test("Each request and each connection of a server is counted once it has ended")
    func server() throws {
        let counters = ServerCounters()
        try withServer(Echo(), .varied { $0.counters = counters }) { port throws in
            let client = try RawClient(port: port)
            client.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\nHEAD /two HTTP/1.1\r\nHost: a\r\n\r\n")
            client.send("GET /three HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = try client.readToEnd()
            let refused = try RawClient(port: port)
            // The library of 1.0 leaves this fault to the server, too; others it answers itself, and nobody counts them.
            refused.send("GET four HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try refused.readToEnd()
        }
        let totals = counters.totals
        #expect(totals.requests(route: 0, method: .get, status: 200) == 2)
        #expect(totals.requests(route: 0, method: .head, status: 200) == 1)
        #expect(totals.requests(route: 0, method: .get, status: 400) == 1)
        // "get /one ", "get /three " and the sentence about the target.
        #expect(totals.bytes(route: 0) == 9 + 11 + Fault.targetForm.reason.utf8.count)
        #expect(totals.connections == 2)
        #expect(totals.openConnections == 0)
    }

    @Test(
        "A request after one that has waited is counted by its own route, and only a wait for an event is one",
        arguments: [true, false])
    func routeAfterWait(isForEvents: Bool) throws {
        let counters = ServerCounters(routes: 3)
        let room = WaitingRoom(isForEvents: isForEvents)
        let echo = Echo(
            give: { request in
                guard request.targetText == "/wait",
                    let waiter = room.admit(for: .milliseconds(20), otherwise: Echo.text("later"))
                else { return .now(Echo.text("now")) }
                return .later(waiter)
            }, number: { $0 == "/wait" ? 1 : 2 })
        try withServer(echo, .varied { $0.counters = counters }) { port throws in
            let client = try RawClient(port: port)
            client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "later")
            client.send("GET /now HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try client.readToEnd().hasSuffix("now"))
        }
        #expect((1...2).map { counters.totals.requests(route: $0, method: .get, status: 200) } == [1, 1])
        #expect(counters.totals.durations(route: 1, isWait: isForEvents).count == 1)
        #expect(counters.totals.durations(route: 2, isWait: false).count == 1)
    }
}
