import Testing

@testable import DrilldownClient
@testable import TestSupport

/// Several levels and details that are observed at once: one request waits for all.
@Suite(.timeLimit(.minutes(1)))
struct SharedWaitTests {
    private static func level(_ name: String, version: String) -> String {
        """
        {"title":"\(name)","href":"/levels/\(name)","version":"\(version)","leaf":true,"ancestors":[],"count":0,"rows":[],\
        "follow":"/levels/\(name)?limit=10000&since=\(version)&wait=20&format=json"}
        """
    }

    /// Levels A and B, and changes that a test makes.
    private final class Origin: Sendable {
        let stub: StubOrigin
        private let state = Guarded(State())

        struct State {
            var versions = ["A": 1, "B": 1]
            var isAway = false
            var refusesChanges = false
            /// The changed levels since each revision.
            var changes: [[String]] = []
        }

        init() throws {
            let state = state
            stub = try StubOrigin { Self.answer(to: $0, state.withLock { $0 }) }
        }

        func update(_ change: @Sendable (inout State) -> Void) { state.withLock(change) }

        private static func answer(to request: StubOrigin.Request, _ state: State) -> StubOrigin.Answer {
            if state.isAway { return .status("502 Bad Gateway") }
            if request.path.hasPrefix("/changes") {
                if state.refusesChanges { return .status("404 Not Found") }
                let follow = "/changes?since=r\(state.changes.count)&wait=20&format=json"
                guard let since = request.path.firstMatch(of: /since=r(\d+)/).flatMap({ Int($0.1) }) else {
                    return .json(#"{"changes":[],"follow":"\#(follow)"}"#)
                }
                let levels = state.changes[since...].joined().map { #""/levels/\#($0)""# }.joined(separator: ",")
                if levels.isEmpty, request.path.contains("wait=") { return .silence }
                return .json(#"{"changes":[{"levels":[\#(levels)]}],"follow":"\#(follow)"}"#)
            }
            let name = request.path.contains("/A") ? "A" : "B"
            let version = "v\(state.versions[name] ?? 0)"
            if request.path.contains("since=\(version)") {
                if request.path.contains("wait=20") { return .silence }
                let level = SharedWaitTests.level(name, version: version)
                return .json(level.replacing(#""rows":[]"#, with: #""since":"\#(version)""#))
            }
            return .json(SharedWaitTests.level(name, version: version))
        }

        func reads(of name: String) -> Int { stub.requests.count { $0.path.hasPrefix("/levels/\(name)") } }
        var waits: [String] { stub.requests.map(\.path).filter { $0.contains("wait=20") } }
    }

    @Test func `One request waits for fifty levels and details, and each shows its change`() async throws {
        let document = try ObservedDocument()
        func save(_ edition: Int) throws {
            try document.save(
                (0..<25).map {
                    ["Title": "Level \($0)", "Children": [["Title": "Row", "Subtitle": "edition \(edition)"]]]
                })
        }
        try save(0)
        let service = try RunningServer(document.path)
        let server = try service.client()
        var levels = (0..<25).map { server.updates(of: ["Level \($0)"]).makeAsyncIterator() }
        var details = (0..<25).map { server.updates(ofDetail: ["Level \($0)", "Row"]).makeAsyncIterator() }
        for edition in 0..<3 {
            try save(edition)
            for number in levels.indices {
                let level = try await levels[number].next { $0.level?.rows[0]["Subtitle"] == "edition \(edition)" }
                #expect(level?.isCurrent == true)
                var detail = try await details[number].next()
                while detail?.detail?["Subtitle"] != "edition \(edition)" { detail = try await details[number].next() }
                #expect(detail?.isCurrent == true)
            }
            try await service.becomes(waiting: 1)
        }
        (levels, details) = ([], [])
        #expect(server.observations.count == 0)
        try await service.becomes(waiting: 0)
    }

    @Test func `The wait of one level ends when another is observed, and a change is read where it is named`()
        async throws
    {
        let origin = try Origin()
        let server = try Server(origin.stub(""))
        var first = server.updates(of: ["A"]).makeAsyncIterator()
        _ = try await first.next()
        #expect(await origin.stub.receives(requests: 2))
        #expect(origin.waits == ["/levels/A?limit=10000&since=v1&wait=20&format=json"])
        var second = server.updates(of: ["B"]).makeAsyncIterator()
        #expect(try await second.next()?.level?.version == "v1")
        while !origin.waits.contains("/changes?since=r0&wait=20&format=json") { await Task.yield() }
        let reads = origin.reads(of: "A")
        for version in 2..<12 {
            origin.update { state in
                state.versions["B"] = version
                state.changes.append(["B"])
            }
            // The request that waits gets no answer here.
            server.retryNow()
            #expect(try await second.next()?.level?.version == "v\(version)")
        }
        // Both may have been read once more when the request for all began.
        #expect(origin.reads(of: "A") <= reads + 2)
        #expect(origin.reads(of: "B") >= 11)
        #expect(origin.waits.filter { $0.hasPrefix("/levels/") }.count == 1)
    }

    @Test func `An outage is shown everywhere, and the first success ends it everywhere`() async throws {
        let origin = try Origin()
        let server = try Server(origin.stub(""))
        let (pauses, sender) = AsyncStream.makeStream(of: Double.self)
        server.observations.backoff.withLock { backoff in
            backoff.random = { $0.upperBound }
            backoff.sleep = { seconds in
                sender.yield(seconds)
                // The first pauses are over at once; a later one ends by a success alone.
                if seconds > 1.5 { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        _ = (try await first.next(), try await second.next())
        while !origin.waits.contains("/changes?since=r0&wait=20&format=json") { await Task.yield() }
        origin.update { $0.isAway = true }
        server.retryNow()
        #expect(try await first.next { !$0.isConnected }?.interruption?.status == 502)
        #expect(try await second.next { !$0.isConnected }?.interruption?.status == 502)
        for await pause in pauses where pause > 1.5 { break }
        origin.update { state in
            state.isAway = false
            state.versions["B"] = 2
            state.changes = [["B"]]
        }
        // Any request of the app shows that the server is back.
        _ = try await server.level(at: ["A"])
        #expect(try await first.next { $0.isCurrent }?.level?.version == "v1")
        #expect(try await second.next { $0.isCurrent }?.level?.version == "v2")
    }

    @Test func `Each level waits alone where something refuses the requests for changes`() async throws {
        let origin = try Origin()
        origin.update { $0.refusesChanges = true }
        let server = try Server(origin.stub(""))
        var (first, second) = (
            server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
        )
        #expect(try await first.next()?.isCurrent == true)
        #expect(try await second.next()?.isCurrent == true)
        while Set(origin.waits).count < 2 { await Task.yield() }
        #expect(
            Set(origin.waits) == [
                "/levels/A?limit=10000&since=v1&wait=20&format=json",
                "/levels/B?limit=10000&since=v1&wait=20&format=json",
            ])
    }

    @Test func `A level that is observed alone after several waits by itself`() async throws {
        let origin = try Origin()
        let server = try Server(origin.stub(""))
        do {
            var (first, second) = (
                server.updates(of: ["A"]).makeAsyncIterator(), server.updates(of: ["B"]).makeAsyncIterator()
            )
            _ = (try await first.next(), try await second.next())
        }
        var alone = server.updates(of: ["B"]).makeAsyncIterator()
        #expect(try await alone.next()?.isCurrent == true)
        let wait = "/levels/B?limit=10000&since=v1&wait=20&format=json"
        while !Task.isCancelled, !origin.waits.contains(wait) { await Task.yield() }
    }

    @Test func `A detail alone waits by itself, and ends when its item is gone`() async throws {
        let document = try ObservedDocument()
        let service = try RunningServer(document.path)
        let server = try service.client()
        var updates = server.updates(ofDetail: ["Ben"]).makeAsyncIterator()
        #expect(try await updates.next()?.detail == (try await server.detail(at: ["Ben"])))
        try await service.becomes(waiting: 1)
        try document.save(["Ben", "Ann"])
        let moved = try #require(try await updates.next())
        #expect(moved.isCurrent && moved.detail?.position.index == 0 && moved.detail?.next?.title == "Ann")
        try document.save(["Ann"])
        let problem = await #expect(throws: Problem.self) { try await updates.next() }
        #expect(problem?.description == "There is no 'Ben' in /.")
        #expect(try await updates.next() == nil)
        #expect(server.observations.count == 0)
    }
}
