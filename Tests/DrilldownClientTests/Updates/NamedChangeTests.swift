import Testing

@testable import DrilldownClient
@testable import TestSupport

/// Levels and details that a change names, behind a cache that keeps old copies of all answers without a wait.
@Suite(.timeLimit(.minutes(1)))
struct NamedChangeTests {
    private let stub: StubOrigin
    private let server: Server
    private let isChanged = Guarded(false)
    private static let waiting = "/changes?since=r0&wait=20&format=json"

    init() throws {
        let isChanged = isChanged
        stub = try StubOrigin { request in
            let isChanged = isChanged.withLock { $0 }
            if request.path == "/changes" { return .json(#"{"changes":[],"follow":"\#(Self.waiting)"}"#) }
            if request.path == Self.waiting, isChanged {
                let follow = Self.waiting.replacing("r0", with: "r1")
                return .json(
                    #"{"changes":[{"levels":["/levels/A"],"details":["/detail/A/x"]}],"follow":"\#(follow)"}"#)
            }
            if request.path.contains("wait=20") { return .silence }
            let version = isChanged && request.path.contains("wait=1&") ? "v2" : "v1"
            let own = request.path.prefix(
                upTo: request.path.firstRange(of: /[?&]since=/)?.lowerBound ?? request.path.endIndex)
            let link = own + (own.contains("?") ? "&" : "?") + "since=\(version)&wait=20&format=json&turn=5"
            let text = own.hasPrefix("/detail") ? StubOrigin.detail : StubOrigin.Answer.level
            let (answer, follow) = (text.replacing("v1", with: version), /"follow":"[^"]*"/)
            return .json(answer.replacing(follow, with: #""follow":"\#(link)""#))
        }
        server = try Server(stub(""))
    }

    /// Changes the level and the detail when the request for changes waits.
    private func change() async {
        while !stub.requests.contains(where: { $0.path == Self.waiting }) { await Task.yield() }
        isChanged.withLock { $0 = true }
        server.retryNow()
    }

    private func briefWaits(of path: String) -> Set<String> {
        Set(stub.requests.map(\.path).filter { $0.hasPrefix(path) && $0.contains("wait=1&") })
    }

    @Test(arguments: [
        (LevelQuery.all, ""), (.searching(for: "x"), "q=x&"), (.outlined(), "depth=all&"),
    ])
    func `A level that a change names is read by its link with a short wait`(
        _ query: LevelQuery, _ options: String
    ) async throws {
        var other = server.updates(of: ["B"]).makeAsyncIterator()
        var updates = server.updates(of: ["A"], matching: query).makeAsyncIterator()
        _ = (try await other.next(), try await updates.next())
        await change()
        #expect(try await updates.next { $0.level?.version == "v2" }?.isCurrent == true)
        #expect(briefWaits(of: "/levels/A") == ["/levels/A?\(options)limit=10000&since=v1&wait=1&format=json"])
        #expect(briefWaits(of: "/levels/B") == [])
    }

    @Test func `A detail that a change names is read by its link with a short wait`() async throws {
        var other = server.updates(of: ["B"]).makeAsyncIterator()
        var updates = server.updates(ofDetail: ["A", "x"]).makeAsyncIterator()
        _ = (try await other.next(), try await updates.next())
        await change()
        var version: String?
        while version != "v2" { version = try await updates.next()?.detail?.version.rawValue }
        #expect(briefWaits(of: "/detail") == ["/detail/A/x?since=v1&wait=1&format=json"])
    }
}
