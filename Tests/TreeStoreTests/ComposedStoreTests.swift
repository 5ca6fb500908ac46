import Testing

@testable import TestSupport
@testable import TreeStore

@Suite("The store of a composed source")
struct ComposedStoreTests {
    private let scratch: ScratchFolder
    private let journal = Journal()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Main", items("a", "b"))
        try scratch.write("a", items("A1", "A2"))
        try scratch.write("b", items("B1"))
    }

    @Test("publishes the changes of all its parts, including new ones, and ignores removed ones")
    func parts() throws {
        let store = try TreeStore(ComposedSource(scratch)) { [journal] in journal.note($0) }
        #expect(store.titles == ["A1", "A2", "B1"])
        try scratch.write("b", items("B1", "B2"))
        #expect(journal.waits { store.titles == ["A1", "A2", "B1", "B2"] })
        try scratch.write("c", items("C1"))
        try scratch.write("Main", items("c", "a"))
        #expect(journal.waits { store.titles == ["C1", "A1", "A2"] })
        try scratch.write("b", items("unseen"))
        try scratch.write("c", items("C2"))
        #expect(journal.waits { store.titles == ["C2", "A1", "A2"] })
        try scratch.remove("a")
        #expect(journal.waits { store.isStale })
        #expect(store.titles == ["C2", "A1", "A2"])
        try scratch.write("a", items("A3"))
        #expect(journal.waits { store.titles == ["C2", "A3"] && store.status == .ok })
    }
}
