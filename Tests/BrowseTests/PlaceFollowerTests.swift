import DrilldownClient
import DrilldownPreviews
import Foundation
import Testing

@testable import drilldown_browse

@Suite("A place that is followed", .timeLimit(.minutes(1)))
struct PlaceFollowerTests {
    private let server = Server(inMemory: ["a", "b", ["Title": "c", "Children": ["d"]]])

    /// Follows a place while the body runs.
    private func following(
        _ place: Place, of server: Server? = nil,
        _ body: (inout AsyncStream<PlaceUpdate>.Iterator) async throws -> Void
    ) async throws {
        let server = server ?? self.server
        let (updates, sender) = AsyncStream.makeStream(of: PlaceUpdate.self)
        let task = Task { await PlaceFollower(server: server) { sender.yield($0) }.follow(place) }
        var iterator = updates.makeAsyncIterator()
        try await body(&iterator)
        task.cancel()
        await task.value
        sender.finish()
        #expect(await iterator.next() == nil)
    }

    @Test("is told with the rows that were added, altered and removed")
    func changes() async throws {
        try await following(Place(.level, at: .root)) { updates in
            #expect(await updates.next() == .trouble(nil))
            let level = try await server.level(matching: .limited(to: 10_000))
            #expect(await updates.next() == .level(level, changed: [], removed: 0, isKept: false))
            let edits: [((Server) async throws -> Void, Set<String>, Int)] = [
                ({ try await $0.insert("e", into: .root) }, ["e"], 0),
                ({ try await $0.patch(["Title": "z"], at: ["a"]) }, ["z"], 0),
                ({ try await $0.delete(["b"]) }, [], 1), ({ try await $0.patch(["Price": 1], at: ["c"]) }, ["c"], 0),
            ]
            for (edit, changed, removed) in edits {
                try await edit(server)
                #expect(await updates.next() == .trouble(nil))
                let level = try await server.level(matching: .limited(to: 10_000))
                #expect(await updates.next() == .level(level, changed: changed, removed: removed, isKept: false))
            }
        }
    }

    @Test("is a detail, the hits of a search, or a refusal")
    func places() async throws {
        try await following(Place(.detail, at: ["c"])) { updates in
            #expect(await updates.next() == .trouble(nil))
            let detail = try await server.detail(at: ["c"])
            #expect(await updates.next() == .detail(detail, isKept: false))
        }
        var place = Place(.level, at: ["c"])
        place.search = "d"
        try await following(place) { updates in
            #expect(await updates.next() == .trouble(nil))
            let hits = try await server.level(at: ["c"], matching: .searching(for: "d").limited(to: 10_000))
            #expect(hits.rows.map(\.title) == ["d"])
            #expect(await updates.next() == .level(hits, changed: [], removed: 0, isKept: false))
        }
        try await following(Place(.detail, at: ["x"])) { updates in
            #expect(await updates.next() == .refusal("There is no 'x' in /."))
        }
    }

    @Test("is told with the reason why the server does not answer, and a level that is kept from earlier")
    func away() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { _ = Result { try FileManager.default.removeItem(at: folder) } }
        var configuration = server.configuration
        configuration.cacheFolder = folder
        let first = Server(configuration)
        var updates = first.updates().makeAsyncIterator()
        let level = try #require(try await updates.next()?.level)
        await first.flushCache()
        // A failure could be shown together with the kept level.
        configuration.send = { _ in
            try await Task.sleep(for: .seconds(3_600))
            throw URLError(.timedOut)
        }
        try await following(Place(.level, at: .root), of: Server(configuration)) { updates in
            #expect(await updates.next() == .trouble(nil))
            #expect(await updates.next() == .level(level, changed: [], removed: 0, isKept: true))
        }
        try await following(Place(.detail, at: ["c"]), of: Server(configuration)) { updates in
            #expect(await updates.next() == .trouble(nil))
            guard case .detail(let detail, isKept: true) = await updates.next() else {
                Issue.record("A detail that a kept level shows is shown as kept.")
                return
            }
            #expect(detail.title == "c")
        }
        configuration.send = { _ in throw URLError(.cannotFindHost) }
        for (place, link) in [
            (Place(.level, at: ["c"]), "/levels/c"), (Place(.detail, at: ["c", "d"]), "/detail/c/d"),
        ] {
            try await following(place, of: Server(configuration)) { updates in
                #expect(
                    await updates.next()
                        == .trouble("http://memory sent no complete answer to \(link): its host name is unknown."))
            }
        }
    }
}
