import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite struct AnswerMemoryTests {
    private func entry(_ tag: String, cost: Int = 10) -> AnswerMemory.Entry { .init(tag: tag, value: tag, cost: cost) }

    @Test func `what was used least recently is forgotten first`() {
        let memory = AnswerMemory(limit: 100)
        let names = (0..<10).map { "\($0)" }
        for name in names { memory.remember(entry(name), for: name) }
        #expect(memory.cost == 100)
        // Of these ten, the last was used least recently.
        for name in names.dropLast() { #expect(memory[name]?.tag == name) }
        memory.remember(entry("new"), for: "new")
        // It is emptied to one half.
        #expect((names + ["new"]).filter { memory[$0] != nil } == ["5", "6", "7", "8", "new"])
        #expect(memory.cost == 50)
    }

    @Test func `an entry replaces the one of its target, and one that is too large removes it`() {
        let memory = AnswerMemory(limit: 40)
        memory.remember(entry("v1", cost: 30), for: "a")
        memory.remember(entry("v2", cost: 35), for: "a")
        #expect(memory["a"]?.tag == "v2")
        #expect(memory.cost == 35)
        memory.remember(entry("v3", cost: 41), for: "a")
        #expect(memory["a"] == nil)
        #expect(memory.cost == 0)
    }

    @Test func `the newest entry stays, however large it is among the others`() {
        let memory = AnswerMemory(limit: 40)
        memory.remember(entry("small"), for: "small")
        memory.remember(entry("large", cost: 40), for: "large")
        #expect(memory["small"] == nil)
        #expect(memory["large"]?.tag == "large")
    }

    @Test func `an answer that was forgotten is asked for without a tag, and read again`() async throws {
        // The server answers 304 to every request that names its tag.
        let origin = try StubOrigin { request in
            request.fields["if-none-match"] == nil
                ? .json(StubOrigin.Answer.level, ["ETag": "\"v1\""])
                : .bytes(StubOrigin.Answer.message("304 Not Modified", ["ETag": "\"v1\""], []))
        }
        var configuration = try Server.Configuration(origin(""))
        // One answer fits in, two do not.
        configuration.maximumMemoryBytes = 1_000
        let server = Server(configuration)
        let paths: [ItemPath] = [.root, .root, ["A"], .root]
        for path in paths { #expect(try await server.level(at: path).rows.map(\.key) == ["A"]) }
        #expect(origin.requests.map(\.path) == ["/levels/", "/levels/", "/levels/A", "/levels/"])
        #expect(origin.requests.map { $0.fields["if-none-match"] } == [nil, "\"v1\"", nil, nil])
    }

    @Test func `a request under way keeps what it named, although it is forgotten meanwhile`() async throws {
        let tags = ["ETag": "\"v1\""]
        let asked = DrilldownClient.Guarded<Server?>(nil)
        let origin = try StubOrigin { request in
            guard request.fields["if-none-match"] != nil else { return .json(StubOrigin.Answer.level, tags) }
            // Too large to be remembered, it replaces the remembered answer.
            asked.withLock { $0?.transport.memory.remember(.init(tag: "", value: 0, cost: .max), for: "/levels/") }
            return .bytes(StubOrigin.Answer.message("304 Not Modified", tags, []))
        }
        let server = try Server(origin(""))
        asked.withLock { $0 = server }
        let first = try await server.level(at: .root)
        #expect(try await server.level(at: .root) == first)
        #expect(try await server.level(at: .root) == first)
        #expect(origin.requests.map { $0.fields["if-none-match"] } == [nil, "\"v1\"", nil])
    }

    @Test func `304 to a request that names no version is a problem`() async throws {
        let origin = try StubOrigin { _ in .bytes(StubOrigin.Answer.message("304 Not Modified", [:], [])) }
        let found = try await problem { try await Server(origin("")).level(at: .root) }
        #expect(
            found?.detail
                == "\(origin("")) answered /levels/ with an empty body, which is not the answer of a drilldown service: its status is 304, although no version was named."
        )
    }
}
