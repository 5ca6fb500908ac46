import DrilldownPreviews
import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Details that an app shows without a network.
@Suite(.timeLimit(.minutes(1)))
struct OfflineDetailTests {
    private let folder: ScratchFolder
    private let memory = Server(inMemory: [
        [
            "Title": "Satie",
            "Children": [["Title": "Gymnopédie", "Year": 1888], ["Title": "Gnossienne", "Year": 1890]],
        ],
        "Ravel",
    ])
    private let isAway = Guarded(false)

    init() throws { folder = try ScratchFolder() }

    /// A client of the service in memory, which can be away.
    private func client() throws -> Server {
        var configuration = memory.configuration
        configuration.cacheFolder = URL(fileURLWithPath: folder("cache"))
        let send = try #require(configuration.send)
        configuration.send = { [isAway] request in
            if isAway.withLock({ $0 }) { throw URLError(.notConnectedToInternet) }
            return try await send(request)
        }
        let server = Server(configuration)
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        return server
    }

    @Test func `a detail with everything that it can have is written and read again`() throws {
        var control = Control(type: "Slider", value: 3)
        (control.min, control.max) = (0, 10)
        let link = ItemLink(title: "Ä", path: ["Album", "1/2"])
        var detail = Detail(
            title: "A", path: ["x", "Ä"], version: "v", fieldsVersion: "f", count: 2, ancestors: [link],
            position: .init(index: 3, count: 9, section: 2), previous: link, next: link, firstChild: link,
            lastChild: link, fields: ["Title": "A", "List": [1, 2.5, .null], "Text": "\"\u{1}\n"], control: control,
            error: "Broken.")
        detail.links = ["Album": link]
        for detail in [detail, Detail(title: "", path: .root)] {
            for follow in ["/detail/x?since=v", nil] {
                let bytes = DetailCopy(detail: detail, follow: follow).bytes(identity: "http://a /detail/x")
                let read = try #require(DetailCopy(bytes, identity: "http://a /detail/x"))
                #expect(read.detail == detail && read.follow == follow)
                #expect(DetailCopy(bytes, identity: "http://a /detail/y") == nil)
                #expect(LevelCopy(bytes, identity: "http://a /detail/x") == nil)
            }
        }
    }

    @Test func `a detail that was shown, and a row whose detail never was, open without a network`() async throws {
        let first = try client()
        var details = first.updates(ofDetail: ["Satie", "Gnossienne"]).makeAsyncIterator()
        let shown = try #require(try await details.next()?.detail)
        var levels = first.updates(of: ["Satie"]).makeAsyncIterator()
        _ = try await levels.next()
        var sorted = first.updates(of: ["Satie"], matching: .limited(to: 1)).makeAsyncIterator()
        _ = try await sorted.next()
        await first.flushCache()
        isAway.withLock { $0 = true }

        let second = try client()
        var known = second.updates(ofDetail: shown.path).makeAsyncIterator()
        var update = try #require(try await known.next())
        while update.detail == nil { update = try #require(try await known.next()) }
        #expect(update.detail == shown && update.isFromCache && !update.isCurrent)
        var rows = second.updates(ofDetail: ["Satie", "Gymnopédie"]).makeAsyncIterator()
        // The news that the server is away may come before the file was read.
        var row = try #require(try await rows.next())
        while row.detail == nil { row = try #require(try await rows.next()) }
        #expect(row.isFromCache && row.detail?.fields == ["Title": "Gymnopédie", "Year": 1888])
        #expect(row.detail?.ancestors == shown.ancestors && row.detail?.isLeaf == true)
        #expect(row.detail?.position == .init(index: 0, count: 2) && row.detail?.previous == nil)
        #expect(row.detail?.next == ItemLink(title: "Gnossienne", path: shown.path) && row.detail?.version == "")
        for path in [["Ravel"], ["Satie", "Bolero"], .root] as [ItemPath] {
            var unknown = second.updates(ofDetail: path).makeAsyncIterator()
            let update = try #require(try await unknown.next())
            #expect(update.detail == nil && update.interruption?.kind == .unreachable)
        }

        isAway.withLock { $0 = false }
        second.retryNow()
        while let update = try await rows.next() {
            guard update.isCurrent else { continue }
            #expect(update.detail == (try await memory.detail(at: ["Satie", "Gymnopédie"])))
            break
        }
        await second.flushCache()
    }

    @Test @MainActor func `a detail that is gone is not kept, and a model says what comes from the folder`()
        async throws
    {
        let first = try client()
        let model = DetailModel(first, at: ["Ravel"])
        let following = Task { await model.follow() }
        while !model.isCurrent { await Task.yield() }
        #expect(!model.isFromCache)
        following.cancel()
        await following.value
        await first.flushCache()
        isAway.withLock { $0 = true }
        let second = DetailModel(try client(), at: ["Ravel"])
        let offline = Task { await second.follow() }
        while second.problem == nil { await Task.yield() }
        #expect(second.detail?.title == "Ravel" && second.isFromCache && !second.isCurrent)
        #expect(second.problem?.situation == .offline)
        try await memory.delete(["Ravel"])
        isAway.withLock { $0 = false }
        while second.problem?.kind != .noSuchItem { await Task.yield() }
        offline.cancel()
        await offline.value
        await second.server.flushCache()
        let kept: DetailCopy? = await second.server.observations.cache?.copy(of: "/detail/Ravel")
        #expect(kept == nil)
    }

    @Test func `the row with the most fields is shown, of this server and this level only`() throws {
        let cache = CacheFolder(url: URL(fileURLWithPath: folder("cache")), server: "http://a", limit: 100_000)
        let other = CacheFolder(url: cache.url, server: "http://b", limit: 100_000)
        func keep(_ fields: Fields, of link: String, in path: ItemPath, cache: CacheFolder) throws {
            var level = Level(title: "A", path: path, rows: [Row(key: "x", fields: fields), Row(key: "y")])
            level.rows[1].parent = ["Other"]
            level.rows[1].indent = 1
            level.start = 5
            let copy = LevelCopy(level: level, pages: [.init(follow: nil, count: 2, total: 2)])
            try cache.write(copy, kind: LevelCopy.kind, of: link)
        }
        try keep(["a": 1], of: "/levels/A", in: ["A"], cache: cache)
        try keep(["a": 1, "b": 2], of: "/levels/A?fields=%2A", in: ["A"], cache: cache)
        try keep(["a": 1, "b": 2, "c": 3], of: "/levels/A?q=x", in: ["A"], cache: other)
        try keep(["a": 1, "b": 2, "c": 3], of: "/levels/A2", in: ["A2"], cache: cache)
        let found = try #require(cache.detail(at: ["A", "x"])?.detail)
        #expect(found.fields == ["Title": "x", "a": 1, "b": 2] && found.next == nil && found.position.index == 5)
        #expect(cache.detail(at: ["A", "y"]) == nil && cache.detail(at: ["B", "x"]) == nil)
    }
}
