import Testing

@testable import DrilldownClient
@testable import TestSupport

/// The link `follow` of each answer, which is the next request.
@Suite(.timeLimit(.minutes(1)))
struct FollowTests {
    private static let (first, link) = ("/levels/?limit=10000", "/levels/?limit=10000&since=v1&wait=20&format=json")

    /// An answer in another version, as an answer to `since` and `wait` in a turn.
    private static func json(_ text: String, _ version: String = "v1", turn: Int? = nil) -> StubOrigin.Answer {
        .json(
            text.replacing("v1", with: version)
                .replacing("format=json", with: "format=json" + (turn.map { "&turn=\($0)" } ?? "")))
    }

    private static func level(_ version: String = "v1", turn: Int? = nil) -> StubOrigin.Answer {
        json(StubOrigin.Answer.level, version, turn: turn)
    }

    private static func problem(
        _ status: String, _ members: String, _ fields: [String: String] = [:]
    ) -> StubOrigin.Answer {
        .status(
            status, ["Content-Type": "application/problem+json"].merging(fields) { $1 },
            Array("{\(members),\"detail\":\"No.\"}".utf8))
    }

    /// A client whose pauses are over at once, and these pauses without their random part.
    private func client(of origin: StubOrigin, below path: String = "") throws -> (Server, Guarded<[Double]>) {
        let server = try Server(origin(path))
        let pauses = Guarded<[Double]>([])
        server.observations.backoff.withLock { backoff in
            backoff.random = { $0.lowerBound }
            backoff.sleep = { seconds in pauses.withLock { $0.append(seconds) } }
        }
        return (server, pauses)
    }

    /// Expects that the level is shown again after the link is refused: by a third request, after these pauses.
    private func expectLevel(
        after refusal: StubOrigin.Answer, requesting target: String, afterPauses expected: [Double]
    ) async throws {
        let origin = try StubOrigin(script: [Self.level(), refusal, Self.level("v2")])
        let (server, pauses) = try client(of: origin)
        var updates = server.updates().makeAsyncIterator()
        #expect(try await updates.next()?.level?.version == "v1")
        let next = try #require(try await updates.next())
        #expect(next.level?.version == "v2" && next.isCurrent)
        #expect(pauses.withLock { $0 } == expected)
        #expect(origin.requests.map(\.path).prefix(3) == [Self.first, Self.link, target])
    }

    @Test func `Each answer names the next request: changes, a whole level, or nothing new in its turn`() async throws {
        let change = StubOrigin.Answer.level.replacing("\"count\":1", with: "\"count\":0")
            .replacing("\"rows\":[", with: "\"since\":\"v0\",\"removed\":[\"A\"],\"was\":[")
        let nothing = StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"was\":[")
        let origin = try StubOrigin(script: [
            Self.level(), Self.json(change, "v2", turn: 5), Self.level("v3", turn: 6),
            Self.json(nothing, "v3", turn: 26),
        ])
        let (server, _) = try client(of: origin)
        var updates = server.updates().makeAsyncIterator()
        for (version, keys) in [("v1", ["A"]), ("v2", []), ("v3", ["A"])] {
            let update = try #require(try await updates.next())
            #expect(update.isCurrent && update.level?.version == version && update.level?.rows.map(\.key) == keys)
        }
        #expect(await origin.receives(requests: 5))
        let turns = [("v2", 5), ("v3", 6), ("v3", 26)].map { version, turn in
            "/levels/?limit=10000&since=\(version)&wait=20&format=json&turn=\(turn)"
        }
        #expect(origin.requests.map(\.path) == [Self.first, Self.link] + turns)
    }

    @Test(arguments: [
        (StubOrigin.Answer.status("503 Service Unavailable", ["Retry-After": "7"]), 7.0),
        (.status("500 Internal Server Error"), 1),
        (.last(StubOrigin.Answer.message("200 OK", ["Content-Length": "9"], [])), 1),
    ])
    func `After an outage, the same link is requested again, and one failure is not shown`(
        _ failure: StubOrigin.Answer, _ pause: Double
    ) async throws {
        try await expectLevel(after: failure, requesting: Self.link, afterPauses: [pause])
    }

    @Test(arguments: [
        problem("404 Not Found", #""type":"/problems/no-such-item""#),
        problem("410 Gone", #""type":"/problems/revision-gone""#),
        problem("400 Bad Request", #""type":"/problems/bad-parameter","parameter":"turn""#),
        .status("403 Forbidden"), .json("{}"),
        json(StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"removed\":[\"B\"],\"was\":[")),
    ])
    func `After any other problem, and changes that do not fit, the level is read anew`(
        _ refusal: StubOrigin.Answer
    ) async throws {
        try await expectLevel(after: refusal, requesting: Self.first, afterPauses: [])
    }

    @Test(arguments: [
        (StubOrigin.Answer.status("429 Too Many Requests", ["Retry-After": "2"]), 2.0),
        (.status("429 Too Many Requests"), 1), (.status("408 Request Timeout"), 1),
        (.status("403 Forbidden", ["Retry-After": "7"]), 7),
        (problem("403 Forbidden", #""type":"/problems/forbidden""#, ["Retry-After": "7"]), 7),
    ])
    func `After a refusal for some time, the level is read anew when the time is over`(
        _ refusal: StubOrigin.Answer, _ pause: Double
    ) async throws {
        try await expectLevel(after: refusal, requesting: Self.first, afterPauses: [pause])
    }

    @Test func `A detail is followed likewise`() async throws {
        let origin = try StubOrigin(script: [
            Self.json(StubOrigin.detail), .status("502 Bad Gateway"), Self.json(StubOrigin.detail, "v2", turn: 5),
            Self.problem("404 Not Found", #""type":"/problems/no-such-item""#), Self.json(StubOrigin.detail, "v3"),
        ])
        let (server, pauses) = try client(of: origin)
        var updates = server.updates(ofDetail: ["A"]).makeAsyncIterator()
        for version in ["v1", "v2", "v3"] {
            let update = try #require(try await updates.next())
            #expect(update.isCurrent && update.detail?.version.rawValue == version)
        }
        #expect(pauses.withLock { $0 } == [1])
        let (first, link) = ("/detail/A", "/detail/A?since=v1&wait=20&format=json")
        let turn = "/detail/A?since=v2&wait=20&format=json&turn=5"
        #expect(origin.requests.map(\.path).prefix(5) == [first, link, link, turn, first])
    }

    @Test func `A revision that is gone is followed by the link that its problem names`() async throws {
        let (gone, anew) = ("/changes?since=r0&wait=20&format=json", "/changes?since=r5&wait=20&format=json")
        let isGone = Guarded(false)
        let origin = try StubOrigin { request in
            switch request.path {
            case "/changes": return .json(#"{"follow":"\#(gone)"}"#)
            case gone:
                isGone.withLock { $0 = true }
                return Self.problem("410 Gone", #""type":"/problems/revision-gone","follow":"\#(anew)""#)
            case anew: return .silence
            case let path:
                let detail = Self.json(StubOrigin.detail, isGone.withLock { $0 } ? "v2" : "v1")
                return path.hasPrefix("/detail") ? detail : .silence
            }
        }
        let (server, _) = try client(of: origin)
        var level = server.updates().makeAsyncIterator()
        let reading = Task { try await level.next() }
        var detail = server.updates(ofDetail: ["A"]).makeAsyncIterator()
        var version: String?
        while version != "v2" { version = try await detail.next()?.detail?.version.rawValue }
        while !origin.requests.contains(where: { $0.path == anew }) { await Task.yield() }
        #expect(origin.requests.map(\.path).filter { $0.hasPrefix("/changes") } == ["/changes", gone, anew])
        reading.cancel()
        #expect(try await reading.value == nil)
    }

    @Test func `A link may begin with the base path of the service`() async throws {
        let link = "/api" + Self.link
        let level = StubOrigin.Answer.level.replacing(Self.link, with: link)
        let origin = try StubOrigin(script: [.json(level), Self.json(level, "v2")])
        let (server, _) = try client(of: origin, below: "/api")
        var updates = server.updates().makeAsyncIterator()
        #expect(try await updates.next()?.level?.version == "v1")
        #expect(try await updates.next()?.level?.version == "v2")
        #expect(origin.requests.map(\.path).prefix(2) == ["/api/levels/?limit=10000", link])
    }

    @Test(arguments: ["", "@other/", ".other/"])
    func `A link that is not a path is not requested`(_ link: String) async throws {
        let origin = try StubOrigin { _ in .json(StubOrigin.Answer.level.replacing(Self.link, with: link)) }
        let (server, _) = try client(of: origin)
        var updates = server.updates().makeAsyncIterator()
        #expect(try await updates.next()?.isCurrent == true)
        #expect(await origin.receives(requests: 2))
        #expect(Set(origin.requests.map(\.path)) == [Self.first])
    }

    @Test func `A service without these links can be read, and is said to be older`() async throws {
        let level = StubOrigin.Answer.level.replacing(",\"follow\":\"\(Self.link)\"", with: "")
        let detail = StubOrigin.detail.replacing(",\"follow\":\"/detail/A?since=v1&wait=20&format=json\"", with: "")
        let origin = try StubOrigin { .json($0.path.hasPrefix("/detail") ? detail : level) }
        let (server, other) = (try Server(origin("")), try Server(origin("")))
        #expect(try await server.level().title == "Root")
        func sentence(_ target: String) -> String {
            "The answer of \(origin("")) to \(target) has no link 'follow', so its changes cannot be observed: the service is older than this library."
        }
        var updates = server.updates().makeAsyncIterator()
        #expect(
            try await updates.next()
                == LevelUpdate(level: nil, interruption: .unreadable(Self.first, sentence(Self.first))))
        var details = other.updates(ofDetail: ["A"]).makeAsyncIterator()
        #expect(
            try await details.next()
                == DetailUpdate(detail: nil, interruption: .unreadable("/detail/A", sentence("/detail/A"))))
    }
}
