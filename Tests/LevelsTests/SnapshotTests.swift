import Locking
import Testing

@testable import Levels
@testable import TestDocuments

@Suite("A snapshot")
struct SnapshotTests {
    @Test("hands its document over when the last reader lets go, and not before")
    func release() throws {
        let document = try Document.tree(#"[{"Title": "A"}, {"Title": "B"}]"#).document
        let taken = Guarded<[Level]>([])
        var first: Snapshot? = Snapshot(document: document, revision: "k3-1", loadedAt: 0) { level in
            taken.withLock { $0.append(level) }
        }
        #expect(first?.itemCount == 2)
        var second = first
        first = nil
        #expect(taken.withLock { $0.isEmpty } && second != nil)
        second = nil
        #expect(taken.withLock { $0.count } == 1 && taken.withLock { $0.first } === document)
    }

    @Test("lets its last reader free the document where nobody takes it over")
    func noRelease() throws {
        var snapshot: Snapshot? = Snapshot(
            document: try Document.tree(#"[{"Title": "A"}]"#).document, revision: "k3-1", loadedAt: 0)
        weak let document = snapshot?.document
        #expect(document != nil)
        snapshot = nil
        #expect(document == nil)
    }
}
