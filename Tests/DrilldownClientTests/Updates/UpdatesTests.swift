import Foundation
import Testing

@testable import DrilldownClient
@testable import TestClient
@testable import TestSupport

@Suite(.timeLimit(.minutes(1)))
struct UpdatesTests {
    let document: ObservedDocument
    let service: RunningServer
    let server: Server

    init() throws {
        document = try ObservedDocument()
        service = try RunningServer(document.path)
        server = try service.client()
    }

    @Test func `The level comes first, then each change with its difference`() async throws {
        var updates = server.updates(of: .root).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.level?.rows.map(\.title) == ["Ann", "Ben", "Cleo"])
        #expect(first.difference == nil && !first.isFromCache && first.interruption == nil)
        try document.save(["Ben", "Dan", "Ann"])
        let second = try #require(try await updates.next())
        #expect(second.level == (try await server.level(at: .root, matching: .all.limited(to: 10_000))))
        #expect(second.isCurrent)
        #expect(second.difference?.removed == [2])
        #expect(second.difference?.inserted == [1])
        #expect(second.difference?.moved.count == 1)
        #expect(TableModel.fault(of: second, after: first.level) == nil)
    }

    @Test func `Observers of one level share a request, which ends with the last of them`() async throws {
        let observers = (0..<20).map { _ in
            Task {
                var count = 0
                for try await _ in server.updates(of: .root) { count += 1 }
                return count
            }
        }
        try await service.becomes(waiting: 1)
        #expect(server.observations.count == 1)
        for observer in observers.dropLast() { observer.cancel() }
        for observer in observers.dropLast() { _ = try await observer.value }
        #expect(try await service.waiting() == 1)
        observers.last?.cancel()
        #expect(try await observers.last?.value == 1)
        #expect(server.observations.count == 0)
        try await service.becomes(waiting: 0)
    }

    @Test func `An observer that joins late gets the level at once`() async throws {
        var early = server.updates(of: .root).makeAsyncIterator()
        let first = try await early.next()
        try await service.becomes(waiting: 1)
        var late = server.updates(of: .root).makeAsyncIterator()
        #expect(try await late.next() == first)
        #expect(try await service.waiting() == 1)
    }

    @Test func `A slow observer gets the newest state with the difference from its own`() async throws {
        var (fast, slow) = (
            server.updates(of: .root).makeAsyncIterator(), server.updates(of: .root).makeAsyncIterator()
        )
        let first = try #require(try await slow.next())
        for titles in [["Ann"], ["Ann", "Eve"], ["Eve", "Cleo"]] {
            try document.save(titles)
            _ = try await fast.next(showing: titles)
        }
        let next = try #require(try await slow.next())
        #expect(next.level?.rows.map(\.title) == ["Eve", "Cleo"])
        let levels = try #require(first.level.flatMap { old in next.level.map { (old, $0) } })
        #expect(next.difference == LevelDifference(from: levels.0, to: levels.1))
        #expect(next.difference?.removed == [0, 1])
    }

    @Test func `An iterator that is released leaves`() async throws {
        do {
            var updates = server.updates(of: .root).makeAsyncIterator()
            _ = try await updates.next()
        }
        #expect(server.observations.count == 0)
        try await service.becomes(waiting: 0)
    }

    @Test func `A deleted item ends with the problem that the server answers`() async throws {
        try document.save([["Title": "Ann", "Children": ["x"]]])
        var root = server.updates(of: .root).makeAsyncIterator()
        _ = try await root.next(showing: ["Ann"])
        var updates = server.updates(of: ["Ann"]).makeAsyncIterator()
        _ = try await updates.next()
        try document.save(["Ben"])
        let problem = await #expect(throws: Problem.self) { try await updates.next() }
        #expect(problem?.kind == .noSuchItem)
        #expect(problem?.description == "There is no 'Ann' in /.")
        #expect(try await updates.next() == nil)
    }

    @Test(arguments: [
        LevelQuery.all.searching(for: "e"), .all.outlined(depth: 3), .all.sorted(by: "Title"), .all.limited(to: 2),
    ])
    func `A search, an outline, an order and a page are observed too`(query: LevelQuery) async throws {
        var updates = server.updates(of: .root, matching: query).makeAsyncIterator()
        var last: Level?
        for titles in [["Eve", "Ann", "Ben"], ["Gene", "Eve"], ["Leo", "Gene", "Eve", "Ann"]] {
            try document.save(titles)
            while try await server.level(at: .root).rows.map(\.title) != titles { await Task.yield() }
            let fresh = try await server.level(at: .root, matching: query)
            while last?.rows != fresh.rows {
                let update = try #require(try await updates.next())
                #expect(TableModel.fault(of: update, after: last) == nil)
                last = update.level
            }
        }
    }

    @Test func `A level of more than 10,000 rows is whole, and its differences are small`() async throws {
        var titles = (0..<20_000).map { "Row \($0)" }
        try document.save(titles)
        var updates = server.updates(of: .root).makeAsyncIterator()
        let first = try #require(try await updates.next { $0.level?.rows.count == 20_000 })
        #expect(first.level?.rows.map(\.title) == titles)
        titles.insert("New", at: 0)
        try document.save(titles)
        let second = try #require(try await updates.next())
        #expect(second.level?.rows.map(\.title) == titles)
        #expect(second.difference?.inserted == [0])
        #expect(second.difference?.removed == [] && second.difference?.moved == [])
        #expect(second.level?.next == nil && second.level?.count == 20_001)
        var whole = try await server.wholeLevel()
        #expect(whole == second.level)
        whole = try await server.wholeLevel(matching: .limited(to: 5))
        #expect(whole.isWhole && whole.rows.count == 20_001)
        try document.save(["Few"])
        #expect(try await updates.next()?.level?.rows.map(\.title) == ["Few"])
    }

    /// The document changes between any two requests, and so do `named` of the levels that are asked for.
    @Test(arguments: [
        (LevelQuery.all, ["/levels/Other", "/levels/Long/Below", "/detail/Other"], 1),
        (.all, ["/levels/Other", "/levels/Long"], 2), (.all, ["/detail/Long/Row%205"], 2),
        (.searching(for: "Row"), ["/levels/Long/Below"], 2), (.searching(for: "Row"), ["/levels/Longer"], 1),
    ])
    func `A long level is read once while only others change`(
        query: LevelQuery, links: [String], rounds: Int
    ) async throws {
        let revision = Guarded(0)
        let pages = [0, 10_000].map { StubOrigin.Answer.page(of: 10_001, from: $0) }
        let origin = try StubOrigin { request in
            let number = revision.withLock { revision in
                revision += 1
                return revision
            }
            let follow = #""follow":"/changes?since=r\#(number)&wait=20&format=json""#
            if request.path == "/changes" { return StubOrigin.Answer.json("{\(follow)}") }
            if request.path.hasPrefix("/changes") {
                // After the first round only other levels change.
                let links = number < 6 ? links : ["/levels/Other"]
                let texts = ["levels", "details"].map { name in
                    let some = links.filter { $0.hasPrefix(name == "levels" ? "/levels/" : "/detail/") }
                    return "\"\(name)\":[\(some.map { "\"\($0)\"" }.joined(separator: ","))]"
                }
                return StubOrigin.Answer.json("{\"changes\":[{\(texts.joined(separator: ","))}],\(follow)}")
            }
            return pages[request.path.contains("start=10000") ? 1 : 0]
        }
        let level = try await Server(origin("")).wholeLevel(at: ["Long"], matching: query)
        #expect(level.rows.map(\.key) == (0..<10_001).map { "Row \($0)" })
        // The first answer, which shows that the level is long, comes before the rounds.
        #expect(origin.requests.count { $0.path.hasPrefix("/levels/") } == 1 + 2 * rounds)
    }

    @Test func `A long level is read again if its pages disagree on its length, or a page is gone`() async throws {
        let gone = StubOrigin.Answer.problem("400 Bad Request", "bad-parameter", #","parameter":"start""#)
        let answers = Guarded([gone, .page(of: 10_003, from: 10_000)])
        let origin = try StubOrigin { request in
            if request.path.hasPrefix("/changes") { return .json(#"{"follow":"/changes?since=r"}"#) }
            guard request.path.contains("start=10000") else { return .page(of: 10_002, from: 0) }
            return answers.withLock { $0.popLast() } ?? .page(of: 10_002, from: 10_000)
        }
        let level = try await Server(origin("")).wholeLevel(at: ["Long"])
        #expect(level.rows.map(\.key) == (0..<10_002).map { "Row \($0)" })
        #expect(answers.withLock { $0.isEmpty } && level.version == "v,v")
    }

    @Test func `A long level waits with the request for changes, and its end cancels no other request`() async throws {
        let wait = "/changes?since=r&wait=20&format=json"
        let isLeft = DispatchSemaphore(value: 0)
        let origin = try StubOrigin { request in
            if request.path == wait { return .silence }
            if request.path == "/levels/Other" {
                _ = isLeft.wait(timeout: .now() + .seconds(120))
                return .json(StubOrigin.Answer.level)
            }
            if request.path.hasPrefix("/changes") { return .json(#"{"follow":"\#(wait)"}"#) }
            return .page(of: 10_001, from: request.path.contains("start=10000") ? 10_000 : 0)
        }
        let server = try Server(origin(""))
        var updates: LevelUpdates.Iterator? = server.updates(of: ["Long"]).makeAsyncIterator()
        #expect(try await updates?.next()?.level?.rows.count == 10_001)
        let other = Task { try await server.level(at: ["Other"]).title }
        for path in [wait, "/levels/Other"] {
            while !Task.isCancelled, !origin.requests.contains(where: { $0.path == path }) { await Task.yield() }
        }
        updates = nil
        #expect(server.observations.count == 0)
        isLeft.signal()
        #expect(try await other.value == "Root")
    }
}
