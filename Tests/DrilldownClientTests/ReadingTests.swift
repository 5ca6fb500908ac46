import DrilldownClient
import Testing

@Suite struct ReadingTests {
    @Test func `a level is read with its rows`() async throws {
        let running = try RunningServer(RunningServer.document("Data.plist"))
        let level = try await running.client().level(at: ["Item 4"])
        #expect(level.title == "Item 4")
        #expect(level.rows.map(\.title) == ["Screen G"])
        #expect(level.rows.map(\.path) == [["Item 4", "Screen G"]])
        #expect(level.ancestors == [.init(title: "Root", path: .root)])
        let detail = try await running.client().detail(at: ["Item 4", "Screen G", "Screen H", "Screen I", "Screen J"])
        #expect(detail.fields.names == ["Title", "Text"])
    }
}
