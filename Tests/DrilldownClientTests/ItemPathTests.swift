import DrilldownClient
import Testing

@Suite struct ItemPathTests {
    @Test func `a path is percent-encoded`() {
        #expect(ItemPath(["Item 4", "a/b"]).levelLink == "/levels/Item%204/a%2Fb")
    }
}
