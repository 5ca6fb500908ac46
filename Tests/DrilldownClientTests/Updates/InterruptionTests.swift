import DrilldownPreviews
import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite(.timeLimit(.minutes(1)))
struct InterruptionTests {
    let document: ObservedDocument

    init() throws { document = try ObservedDocument() }

    /// A client that comes back at once after a failure.
    private func eager(_ service: RunningServer) throws -> Server {
        let server = try service.client()
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        return server
    }

    private func port(of service: RunningServer) throws -> Int {
        try #require(service.address.split(separator: ":").last.flatMap { Int($0) })
    }

    @Test func `A server that is away is shown, and that it is back`() async throws {
        let service = try RunningServer(document.path)
        var updates = try eager(service).updates(of: .root).makeAsyncIterator()
        let first = try #require(try await updates.next())
        service.stop()
        let interrupted = try #require(try await updates.next())
        #expect(interrupted.level == first.level)
        #expect(interrupted.difference?.isEmpty == true)
        #expect(interrupted.interruption?.kind == .unreachable)
        #expect(!interrupted.isCurrent)
        let again = try RunningServer(document.path, port: port(of: service))
        let back = try #require(try await updates.next(showing: ["Ann", "Ben", "Cleo"]))
        #expect(back.isCurrent && back.difference?.isEmpty == true)
        again.stop()
    }

    @Test func `A server that is away from the beginning is told, and comes back`() async throws {
        let service = try RunningServer(document.path)
        let port = try port(of: service)
        service.stop()
        var updates = try eager(service).updates().makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.level == nil && first.difference == nil && !first.isConnected && !first.isCurrent)
        #expect(
            first.interruption?.detail
                == "\(service.address) sent no complete answer to /levels/: cannot connect (is the server running?).")
        let again = try RunningServer(document.path, port: port)
        let back = try #require(try await updates.next(showing: ["Ann", "Ben", "Cleo"]))
        #expect(back.isCurrent && back.difference == nil)
        again.stop()
    }

    @Test func `Two that wait for one observer both go on`() async throws {
        let service = try RunningServer(document.path)
        let server = try service.client()
        let observer = server.observations.join(LevelTarget(path: .root, query: .all))
        _ = try await observer.next()
        let tasks = (0..<2).map { _ in Task { try await observer.next() } }
        try await service.becomes(waiting: 1)
        try document.save(["Ann"])
        var found: [Level?] = []
        for task in tasks { found.append(try await task.value?.newest.content) }
        #expect(found.contains { $0?.rows.map(\.title) == ["Ann"] })
    }

    @Test func `A task that is cancelled before it waits gets no state`() async throws {
        let state = ObservedState<Int>()
        state.show(1, isFromCache: false)
        let observer = Observer(state: state) {}
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await observer.next()?.newest.content
        }
        task.cancel()
        #expect(try await task.value == nil)
        #expect(try await observer.next()?.newest.content == 1)
    }

    @Test func `An interruption is shown once, and a level from the cache stays one`() async throws {
        let state = ObservedState<Int>()
        let observer = Observer(state: state) {}
        state.show(1, isFromCache: true)
        let problem = Problem(.unreachable, title: "", detail: "")
        for _ in 0..<2 { state.interrupt(problem) }
        let newest = try await observer.next()?.newest
        #expect(newest?.content == 1 && newest?.isFromCache == true && newest?.interruption == problem)
        #expect(newest?.number == 1)
        state.show(2, isFromCache: false)
        state.end(problem)
        #expect(try await observer.next()?.newest.content == 2)
        await #expect(throws: problem) { try await observer.next() }
    }

    @Test func `An observer of an ended observation does not end the next one`() async throws {
        let server = Server(inMemory: [])
        let target = LevelTarget(path: ["A"], query: .all)
        var old: Observer<Level>? = server.observations.join(target)
        #expect(try await problem { try await old?.next() }?.kind == .noSuchItem)
        try await server.insert("A", into: .root)
        let new = server.observations.join(target)
        old = nil
        #expect(server.observations.count == 1)
        #expect(try await new.next()?.newest.content?.title == "A")
    }

    @Test func `A task is cancelled during a wait, and between attempts`() async throws {
        let service = try RunningServer(document.path)
        let server = try service.client()
        server.observations.backoff.withLock { $0.sleep = { _ in try await Task.sleep(for: .seconds(3_600)) } }
        for isAway in [false, true] {
            let task = Task {
                for try await _ in server.updates(of: .root) {}
            }
            if isAway { service.stop() } else { try await service.becomes(waiting: 1) }
            task.cancel()
            try await task.value
            #expect(server.observations.count == 0)
        }
    }

    @Test func `The time between attempts doubles, and is longer by chance`() {
        var backoff = Backoff()
        backoff.random = { $0.lowerBound }
        let failures = Array(1...7) + [1_000]
        #expect(failures.map { backoff.delay(after: $0, retryAfter: nil) } == [1, 2, 4, 8, 16, 30, 30, 30])
        let asked: [Double] = [0, 1, 7, 86_400]
        #expect(asked.map { backoff.delay(after: 9, retryAfter: $0) } == [1, 1, 7, 300])
        backoff.random = { $0.upperBound }
        #expect(failures.map { backoff.delay(after: $0, retryAfter: nil) } == [1.5, 3, 6, 12, 24, 45, 45, 45])
        #expect(asked.map { backoff.delay(after: 1, retryAfter: $0) } == [1.5, 1.5, 10.5, 450])
    }

    @Test(
        arguments: [(["Retry-After": "7"], 7), ([:], 1)] as [([String: String], Double)],
        [ItemPath.root, ["gone"], ["busy"]])
    func `Another answer ends a pause, unless the server has named its time or is busy, and retryNow ends each`(
        _ pause: ([String: String], Double), _ other: ItemPath
    ) async throws {
        let (fields, seconds) = pause
        let origin = try StubOrigin { request in
            if request.path.contains("wait=") { return .status("503 Service Unavailable", fields) }
            guard !other.isRoot, request.path == other.levelLink else { return .json(StubOrigin.Answer.level) }
            return other == ["gone"]
                ? .problem("404 Not Found", "no-such-item") : .problem("503 Service Unavailable", "too-busy")
        }
        let server = try Server(origin(""))
        let (pauses, sender) = AsyncStream.makeStream(of: Double.self)
        let ended = Guarded(0)
        server.observations.backoff.withLock { backoff in
            backoff.random = { $0.lowerBound }
            backoff.sleep = { seconds in
                sender.yield(seconds)
                try await withTaskCancellationHandler {
                    try await Task.sleep(for: .seconds(3_600))
                } onCancel: {
                    ended.withLock { $0 += 1 }
                }
            }
        }
        var updates = server.updates().makeAsyncIterator()
        _ = try await updates.next()
        var all = pauses.makeAsyncIterator()
        #expect(await all.next() == seconds)
        #expect((try await problem { try await server.level(at: other) } == nil) == other.isRoot)
        #expect(ended.withLock { $0 } == (fields.isEmpty && other != ["busy"] ? 1 : 0))
        server.retryNow()
        #expect(await all.next() == max(seconds, 2))
    }

    @Test(arguments: [
        ("403 Forbidden", "text/html", "<html>Log in</html>"), ("404 Not Found", "text/plain", ""),
        ("404 Not Found", "application/problem+json", "{\"type\":\"about:blank\",\"detail\":\"No route.\"}"),
        ("403 Forbidden", "application/problem+json", "{\"type\":\"https://h/quota\",\"detail\":\"No quota.\"}"),
    ])
    func `A refusal that is not the service's own interrupts`(
        _ status: String, _ type: String, _ body: String
    ) async throws {
        let count = Guarded(0)
        let origin = try StubOrigin { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if (2...4).contains(number) { return .status(status, ["Content-Type": type], Array(body.utf8)) }
            return StubOrigin.Answer.json(
                StubOrigin.Answer.level.replacing("v1", with: number > 4 ? "v2" : "v1"))
        }
        let server = try Server(origin(""))
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        var updates = server.updates().makeAsyncIterator()
        #expect(try await updates.next()?.isCurrent == true)
        let interrupted = try #require(try await updates.next())
        #expect(interrupted.level?.version == "v1")
        #expect(interrupted.interruption?.status == Int(status.prefix(3)))
        #expect(interrupted.interruption?.isTemporary == true)
        #expect(try await updates.next { $0.isCurrent }?.level?.version == "v2")
    }
}
