import DrilldownPreviews
import Foundation
import Testing

@testable import DrilldownClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The models of screens, with a service in memory.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct ModelTests {
    private static let document: FieldValue = [
        ["Title": "Satie", "Born": 1866, "Children": ["Gymnopédie", "Gnossienne", "Gymnopédie"]], "Ravel",
    ]
    private let server = Server(inMemory: Self.document)

    /// Waits until a model is in a state.
    private func wait(until condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    @Test func `a model of a level shows it, and why an edit is refused`() async throws {
        let model = LevelModel(server, at: ["Satie"])
        let (updates, sender) = AsyncStream.makeStream(of: LevelUpdate.self)
        model.onUpdate = { sender.yield($0) }
        #expect(model.isLoading && !model.isCurrent)
        let following = Task { await model.follow() }
        var iterator = updates.makeAsyncIterator()
        _ = await iterator.next()
        #expect(model.level?.rows.count == 3 && model.problem == nil)
        #expect(!model.isLoading && model.isCurrent && !model.isFromCache && !model.hasMore)
        await model.edit { try await $0.delete(["Satie", "Nothing"]) }
        #expect(model.problem?.detail == "There is no 'Nothing' in /Satie." && model.problem?.situation == .missing)
        struct Own: Error {}
        await model.edit { _ in throw Own() }
        #expect(model.problem?.kind.rawValue == "error" && model.problem?.detail == "Own()")
        await model.edit { _ in throw CancellationError() }
        #expect(model.problem?.detail == "Own()")
        await model.edit { try await $0.delete(["Satie", "Gnossienne"]) }
        #expect(await iterator.next()?.difference?.removed == [1])
        #expect(model.items.map(\.title) == ["Gymnopédie", "Gymnopédie"] && model.problem == nil)
        await model.edit { try await $0.delete(["Satie"]) }
        #expect(await iterator.next()?.interruption?.kind == .noSuchItem)
        #expect(
            model.problem?.detail == "There is no 'Satie' in /." && model.level?.rows.count == 2 && !model.isCurrent)
        await model.edit { try await $0.insert(["Title": "Satie", "Children": ["Vexations"]], into: .root) }
        await model.reload()
        #expect(await iterator.next()?.isCurrent == true)
        #expect(model.items.map(\.title) == ["Vexations"])
        following.cancel()
        await following.value
        #expect(!model.isCurrent && model.level != nil)
    }

    @Test func `a level is followed as long as one of its screens is shown`() async throws {
        let model = LevelModel(server)
        let (first, second) = (Task { await model.follow() }, Task { await model.follow() })
        await wait { model.isCurrent }
        first.cancel()
        await first.value
        try await server.insert("Debussy", into: .root)
        await wait { model.items.count == 3 }
        #expect(model.isCurrent)
        second.cancel()
        await second.value
        #expect(!model.isCurrent && server.observations.count == 0)
        try await server.insert("Fauré", into: .root)
        await model.reload()
        #expect(model.items.map(\.title) == ["Satie", "Ravel", "Debussy", "Fauré"] && model.isCurrent)
    }

    private struct Piece: Decodable, Sendable {
        var title: String
        var bars: Int
    }

    @Test func `rows are read as an own type, in sections, and those that do not fit are named`() async throws {
        var level = Level(
            title: "A", path: ["A"], version: "1", count: 6,
            sections: [
                .init(title: "One", index: "1", start: 0, count: 2, footer: "End"),
                .init(title: "None", start: 2, count: 0),
                .init(title: "Two", start: 2, count: 2), .init(title: "Later", start: 4, count: 2),
            ],
            rows: (0..<4).map { Row(key: "r\($0)", version: "1", fields: ["Bars": .integer($0)]) })
        level.rows[1].fields["Bars"] = "many"
        let stub = StubLevel(level)
        let model = LevelModel<Piece>(try stub.server(), at: ["A"], matching: .showing(.all))
        await model.reload()
        #expect(model.sections.map(\.title) == ["One", "None", "Two"])
        #expect(model.sections.map { $0.items.map(\.bars) } == [[0], [], [2, 3]])
        #expect(model.sections[0].index == "1" && model.sections[0].footer == "End")
        #expect(model.sections.map(\.id) == level.sections.prefix(3).map(\.id))
        #expect(model.items.map(\.id) == ["r0", "r2", "r3"] && model.items.map(\.title) == ["r0", "r2", "r3"])
        #expect(
            model.faults.map { "\($0)" } == [
                "The field 'bars' of /A/r1 holds \"many\", but a value of the type Int was expected."
            ])
        #expect(model.hasMore && model.level?.rows.count == 4)
        level.rows[1].fields["Bars"] = 1
        stub.level.withLock { [level] in $0 = level }
        await model.reload()
        #expect(model.faults.isEmpty && model.items.count == 4)
    }

    @Test func `more rows are loaded when those near the end appear, and at last all`() async throws {
        let rows = (0..<25_000).map { Row(key: "r\($0)", version: "1") }
        let stub = StubLevel(Level(title: "A", path: ["A"], version: "1", rows: rows))
        let model = LevelModel(try stub.server(), at: ["A"], matching: .limited(to: 2_000))
        let following = Task { await model.follow() }
        await wait { model.isCurrent }
        #expect(model.items.count == 2_000 && model.hasMore)
        model.appeared(model.items[1_499])
        #expect(stub.requests == ["?limit=2000"])
        model.appeared(model.items[1_500])
        model.appeared(model.items[1_501])
        await wait { model.items.count == 4_000 && model.isCurrent }
        for count in [8_000, 10_000] {
            model.loadMore()
            await wait { model.items.count == count && model.isCurrent }
        }
        // On a slow machine, the model also asks with `since` whether its rows are current.
        let pages = stub.requests.filter { !$0.contains("since=") }
        #expect(pages == [2_000, 4_000, 8_000, 10_000].map { "?limit=\($0)" })
        model.loadMore()
        await wait { model.items.count == 25_000 }
        #expect(!model.hasMore)
        model.loadMore()
        model.appeared(model.items[24_999])
        following.cancel()
        await following.value
        let middle = LevelModel(try stub.server(), at: ["A"], matching: .limited(to: 10).starting(at: 7))
        await middle.reload()
        #expect(middle.hasMore && middle.items.map(\.id) == (7..<17).map { "r\($0)" })
        middle.loadMore()
        await middle.reload()
        #expect(middle.items.count == 10)
    }

    @Test func `a search begins when nobody types any more, and ends at once`() async throws {
        let stub = StubLevel(Level(title: "A", path: ["A"], version: "1", rows: [Row(key: "x", version: "1")]))
        let model = LevelModel(try stub.server(), at: ["A"], matching: .outlined(depth: 2).limited(to: 5))
        model.searchedFields = .all
        let following = Task { await model.follow() }
        await wait { model.isCurrent }
        model.searchDelay = .milliseconds(1)
        for text in ["a", "ab", "abc", "abc"] { model.search = text }
        await wait { stub.requests.count == 2 && model.isCurrent }
        model.searchDelay = .seconds(3_600)
        model.search = ""
        await wait { stub.requests.count == 3 && model.isCurrent }
        #expect(stub.requests == ["?depth=2&limit=5", "?limit=5&q=abc&in=%2A", "?depth=2&limit=5"])
        following.cancel()
        await following.value
    }

    @Test func `a reload tells that the server is away, and when it is back`() async throws {
        let stub = StubLevel(Level(title: "A", path: ["A"], version: "1", rows: [Row(key: "x", version: "1")]))
        let (model, detail) = (LevelModel(try stub.server(), at: ["A"]), DetailModel(try stub.server(), at: ["A"]))
        stub.isAway.withLock { $0 = true }
        await model.reload()
        await detail.reload()
        #expect(model.problem?.situation == .offline && detail.problem?.situation == .offline)
        #expect(!model.isLoading && !model.isCurrent && !detail.isLoading && !detail.isCurrent)
        let following = Task { await model.follow() }
        await wait { model.problem?.isTemporary == true }
        stub.isAway.withLock { $0 = false }
        await model.reload()
        await wait { model.isCurrent }
        #expect(model.problem == nil)
        following.cancel()
        await following.value
    }

    @Test func `a model of a detail merges edits, and follows its item to another path`() async throws {
        let model = DetailModel(server, at: ["Satie"])
        #expect(model.isLoading)
        await model.patch(["Born": 1])
        let following = Task { await model.follow() }
        await wait { model.isCurrent }
        #expect(model.detail?["Born"] == 1866 && !model.isLoading)
        try await server.patch(["Died": 1925], at: ["Satie"])
        await model.patch(["Born": 1867])
        #expect(model.detail?.fields == ["Title": "Satie", "Born": 1867, "Died": 1925] && model.problem == nil)
        await model.patch(["Title": "Erik Satie"])
        #expect(model.path == ["Erik Satie"] && model.detail?.title == "Erik Satie")
        try await server.patch(["Died": 1926], at: ["Erik Satie"])
        await wait { model.detail?["Died"] == 1926 }
        try await server.delete(["Erik Satie"])
        await wait { model.problem != nil }
        #expect(model.problem?.detail == "There is no 'Erik Satie' in /." && !model.isCurrent)
        try await server.insert(["Title": "Erik Satie"], into: .root)
        await model.reload()
        await wait { model.isCurrent }
        following.cancel()
        await following.value
        #expect(!model.isCurrent)
        let shown = try #require(model.detail)
        let theirs = try await server.patch(["Born": 1866], at: ["Erik Satie"])
        #expect(model.detail == shown)
        await model.patch(["Born": 1868])
        #expect(model.problem?.kind == .preconditionFailed && model.detail == theirs)
        #expect(model.problem?.detail == "Someone else has changed this since it was read.")
        await model.reload()
        #expect(model.problem == nil && model.detail == theirs)
    }

    @Test(
        arguments: [
            (.unreachable, nil, .offline), (.foreignRefusal, 502, .offline), (.unreadableAnswer, 200, .offline),
            (.unauthorized, 401, .signedOut), (.wrongToken, 403, .signedOut), (.editingOff, 403, .notAllowed),
            (.foreignOrigin, 403, .notAllowed), (.noSuchItem, 404, .missing), (.conflict, 409, .conflict),
            (.preconditionFailed, 412, .conflict), (.preconditionRequired, 428, .conflict),
            (.tooManyAttempts, 429, .busy), (.stopping, 503, .busy), (.saveFailed, 500, .busy),
            (.invalidContent, 422, .invalid), (.badPath, nil, .invalid), (.answerTooLong, nil, .other),
        ] as [(Problem.Kind, Int?, Problem.Situation)])
    func `each problem is one of a few situations of a user`(
        _ kind: Problem.Kind, _ status: Int?, _ situation: Problem.Situation
    ) {
        #expect(Problem(kind, title: "", status: status, detail: "").situation == situation)
    }
}

/// A level that a stub serves: its pages, and nothing after a change.
private final class StubLevel: Sendable {
    let level: Guarded<Level>
    let isAway = Guarded(false)
    private let sent = Guarded<[String]>([])

    init(_ level: Level) { self.level = Guarded(level) }

    /// The queries of the requests for the level.
    var requests: [String] { sent.withLock { $0 } }

    func server() throws -> Server {
        var configuration = try Server.Configuration("http://service")
        configuration.send = { [self] request in
            if isAway.withLock({ $0 }) { throw URLError(.cannotConnectToHost) }
            let url = try #require(request.url)
            let query = url.query.map { "?" + $0 } ?? ""
            if query.contains("wait=") { try await Task.sleep(for: .seconds(3_600)) }
            var body = Data(#"{"changes":[],"follow":"/changes?since=r&wait=20"}"#.utf8)
            if url.path != "/changes" {
                if query != "?limit=1" { sent.withLock { $0.append(query) } }
                body = Data(answer(to: url, query: query))
            }
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"])
            return (body, try #require(head))
        }
        let server = Server(configuration)
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        return server
    }

    private func answer(to url: URL, query: String) -> [UInt8] {
        func number(_ name: String) -> Int? {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
            return items?.first { $0.name == name }?.value.flatMap { Int($0) }
        }
        var page = level.withLock { $0 }
        page.start = number("start") ?? 0
        page.rows = Array(page.rows.dropFirst(page.start).prefix(number("limit") ?? 1_000))
        page.version = "\(page.hashValue)"
        return LevelText.bytes(of: page, follow: "/levels/A\(query.isEmpty ? "?" : query + "&")since=v&wait=20")
    }
}
