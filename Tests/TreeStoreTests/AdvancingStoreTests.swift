import Levels
import Locking
import PropertyLists
import TestSources
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

/// A store whose source follows a log of changes, as a database does.
@Suite("The store of a source that advances")
struct AdvancingStoreTests {
    private let source: MemorySource
    private let journal = Journal()
    private let outcomes = EditOutcomes()

    init() throws { source = try MemorySource(#"["A"]"#) }

    private func store() throws -> TreeStore { try TreeStore(source: source) { [journal] in journal.note($0) } }

    @Test("publishes each state under the source's own name, time and cause, and loads nothing")
    func advances() throws {
        let store = try store()
        #expect(store.current.revision == "memory-0")
        #expect(store.current.loadedAt == 1_000)
        let first = store.publications.current
        try source.commit(#"["A","B"]"#)
        try source.commit(#"["A","B","C"]"#)
        #expect(journal.waits { store.titles == ["A", "B", "C"] })
        #expect(store.current.revision == "memory-2")
        #expect(store.current.loadedAt == 1_002)
        #expect(store.current.cause == .edit(author: "another program"))
        // Each state is a publication, even if the thread saw both at once.
        #expect(store.publications.number(of: "memory-1") == first.number + 1)
        let loads = journal.events.filter { if case .loaded = $0 { true } else { false } }
        #expect(loads.count == 1)
    }

    @Test("names the states that edits lead to as the source does, also after another program was faster")
    func edits() throws {
        let store = try store()
        #expect(store.inserted("B") == "done 1: A B")
        #expect(store.current.revision == "memory-1")
        #expect(store.current.cause == .edit(author: nil))
        source.failSaves(with: .changedMeanwhile)
        try source.commit(#"["A","X"]"#)
        #expect(store.inserted("C") == "done 3: A X C")
        #expect(store.current.revision == "memory-3")
    }

    @Test("publishes the same tree again when a database of its rows has changed, also before it tries an edit again")
    func otherRows() throws {
        let store = try store()
        let first = store.current
        source.commitOtherRows()
        #expect(journal.waits { store.current !== first })
        #expect(store.current.document === first.document)
        #expect(store.current.cause == .database(author: nil))
        let isFirst = Guarded(true)
        store.edit(
            [.insert(.string("B"), below: .root, at: .last, section: nil)], as: "B", into: outcomes,
            precondition: { [source] _ in
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                source.failSaves(with: .changedMeanwhile)
                source.commitOtherRows()
            })
        #expect(outcomes.waits(for: 1) && store.current.titles == "A B")
        #expect(store.publications.replaced.map(\.cause).filter { $0 == .database(author: nil) }.count == 2)
    }

    @Test("tells what happens, in order")
    func events() throws {
        let store = try store()
        let insertions = ["B", "C"].map { Edit.insert(.string($0), below: .root, at: .last, section: nil) }
        #expect(store.edited(insertions, by: "alice") == "done 1: A B C")
        try source.commit(#"["D"]"#)
        #expect(journal.waits { store.titles == ["D"] })
        guard case .unchanged(let same) = store.reloaded() else {
            Issue.record("something was published")
            return
        }
        #expect(same === store.current)
        source.spoil("the table is gone; restore it")
        #expect(journal.waits { store.status.lastError == "memory:test: the table is gone; restore it." })
        #expect(store.titles == ["D"])
        // An answer to a client is told again.
        guard case .refused = store.reloaded() else {
            Issue.record("the reload was not refused")
            return
        }
        #expect(
            store.inserted("E")
                == "The document was changed and cannot be read any more; repair it, then repeat the edit.")
        source.setConnected(false)
        #expect(store.inserted("E") == "away")
        source.setConnected(true)
        try source.commit(#"["F"]"#)
        #expect(journal.waits { store.titles == ["F"] })
        #expect(store.status == .ok)
        store.stop()
        #expect(
            journal.events.map(\.words) == [
                "loaded memory-0", "saved 1", "edited memory-1 by alice: 2", "advanced memory-2", "unchanged memory-2",
                "refused: memory:test: the table is gone; restore it.",
                "refused: memory:test: the table is gone; restore it.",
                "advanced memory-3",
            ])
    }
}
