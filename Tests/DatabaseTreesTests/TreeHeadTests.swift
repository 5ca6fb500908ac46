import Testing

@testable import DatabaseTrees

@Suite struct TreeHeadTests {
    @Test func namesARevisionByItsEpochAndNumber() {
        let head = TreeHead(epoch: "k3f9ab", revision: 1207, mark: nil, date: 0, oldest: 1, keys: nil)
        #expect(head.name(of: head.revision) == "k3f9ab-1207")
    }
}
