import Testing

@testable import DrilldownClient
@testable import TestSupport
@testable import drilldown_browse

@Suite("A place that is followed", .timeLimit(.minutes(1)))
struct PlaceFollowerTests {
    private static let detail = #"{"title":"A","href":"/detail/A","version":"d1","leaf":true,"fields":{"Title":"A"}}"#

    private static func json(_ body: String) -> StubOrigin.Answer {
        .status("200 OK", ["Content-Type": "application/json", "ETag": "\"d1\""], Array(body.utf8))
    }

    @Test("is a detail that is asked for until the server answers")
    func repeats() async throws {
        let refusals = Guarded(3)
        let origin = try StubOrigin { request in
            if request.path.contains("wait=") { return .silence }
            let isRefused = refusals.withLock { refusals in
                refusals -= 1
                return refusals >= 0
            }
            if isRefused {
                return .status("503 Service Unavailable", ["Retry-After": "7", "Content-Type": "text/plain"])
            }
            return Self.json(Self.detail)
        }
        let (updates, updateSender) = AsyncStream.makeStream(of: PlaceUpdate.self)
        let (pauses, pauseSender) = AsyncStream.makeStream(of: Double.self)
        let server = try Server(origin(""))
        server.observations.backoff.withLock { backoff in
            backoff.random = { $0.lowerBound }
            backoff.sleep = { pauseSender.yield($0) }
        }
        let follower = PlaceFollower(server: server) { updateSender.yield($0) }
        let task = Task { await follower.follow(Place(.detail, at: ["A"])) }
        var troubles: [String?] = []
        for await update in updates {
            if case .trouble(let sentence) = update { troubles.append(sentence) }
            guard case .detail(let detail) = update else { continue }
            #expect(detail.fields == ["Title": "A"])
            break
        }
        task.cancel()
        await task.value
        pauseSender.finish()
        let sentence = "\(origin("")) answered /detail/A with the status 503 and an empty body."
        #expect(troubles == [sentence, nil])
        #expect(await pauses.reduce(into: []) { $0.append($1) } == [7, 7, 7])
    }
}
