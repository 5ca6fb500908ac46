import Levels
import TestSources
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

/// A store whose source keeps a log of its revisions.
@Suite("The store of a source with a log")
struct SourceHistoryTests {
    private let source: MemorySource
    private let journal = Journal()

    init() throws { source = try MemorySource(#"["A"]"#, keepsLog: true) }

    private func store() throws -> TreeStore { try TreeStore(source: source) { [journal] in journal.note($0) } }

    private static func entry(_ number: Int, _ cause: Snapshot.Cause) -> RevisionEntry {
        RevisionEntry(name: "memory-\(number)", date: 1_000 + Double(number), cause: cause)
    }

    @Test("knows the revisions of the log from its first load on")
    func first() throws {
        try source.commit(#"["B"]"#, cause: .database(author: "alice"))
        let store = try store()
        let current = store.publications.current
        #expect(current.snapshot.isNamedBySource)
        #expect(current.snapshot.cause == .database(author: "alice"))
        #expect(
            current.snapshot.history == [
                Self.entry(0, .importer), Self.entry(1, .database(author: "alice")),
            ])
        #expect(current.number == 2)
        #expect(store.publications.number(of: "memory-0") == 1)
        // The state that the first entry led from.
        #expect(store.publications.number(of: "memory--1") == 0)
        #expect(store.publications.snapshot(1) == nil)
    }

    @Test("takes no history that does not end at the loaded revision")
    func torn() throws {
        let current = try TreeStore(source: TornSource()).current
        #expect(current.revision == "memory-2" && current.history.isEmpty && current.cause == .load)
    }

    /// A source whose log lacks its latest revision.
    private struct TornSource: TreeSource {
        let name = "torn"

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
            var loaded = try NumberSource(count: 3).load(replacing: old)
            loaded.revision = SourceRevision(name: "memory-2", date: 1_002)
            loaded.history = [SourceHistoryTests.entry(1, .importer)]
            return loaded
        }
    }

    @Test("keeps 16,384 entries of a long log")
    func long() throws {
        for number in 1...16_400 { try source.commit(#"["\#(number)"]"#) }
        let store = try store()
        #expect(store.current.history.count == 16_384)
        #expect(store.publications.current.number == 16_384)
        #expect(store.publications.number(of: "memory-16399") == 16_383)
        #expect(store.publications.number(of: "memory-16") == 0)
        #expect(store.publications.number(of: "memory-15") == nil)
    }

    @Test("numbers the revisions that a load has passed over")
    func missed() throws {
        let store = try store()
        #expect(store.publications.current.number == 1)
        try source.commit(#"["B"]"#, cause: .database(author: nil), isFollowed: false)
        #expect(journal.waits { store.current.revision == "memory-1" })
        source.spoil("it is being repaired")
        #expect(journal.waits { store.isStale })
        try source.commit(#"["C"]"#, isFollowed: false)
        #expect(journal.waits { store.current.revision == "memory-2" })
        #expect(store.publications.number(of: "memory-1") == 2)
        #expect(store.publications.current.number == 3)
    }

    @Test("forgets the revisions of a source that was replaced, and publishes its state even if it is equal")
    func replaced() throws {
        let store = try store()
        try source.replace(by: #"["A"]"#, epoch: "copy")
        #expect(journal.waits { store.current.revision == "copy-0" })
        #expect(store.publications.number(of: "memory-0") == nil)
        #expect(store.publications.number(of: "copy-0") == store.publications.current.number)
        #expect(store.publications.replaced.map(\.revision) == ["memory-0"])
    }

    @Test("reports whether the database is connected, and turns edits away without a connection")
    func connection() throws {
        let store = try store()
        #expect(store.connection == nil)
        source.setConnected(true)
        #expect(journal.waits { store.inserted("B") == "done 2: A B" && store.connection?.isConnected == true })
        source.failSaves(with: .away("the connection was lost"))
        #expect(store.inserted("C") == "away")
        source.setConnected(false)
        source.spoil("there is no connection")
        #expect(journal.waits { store.isStale })
        let connection = try #require(store.connection)
        #expect(!connection.isConnected)
        #expect(connection.since > 1_700_000_000)
        #expect(store.inserted("C") == "away")
        #expect(store.titles == ["A", "B"])
    }

    @Test("is stale while the outcome of a save is unknown, and keeps the figures of its database")
    func doubt() throws {
        let state = StoreState(first: try store().current, historyBytes: 0, notifier: try Notifier())
        state.noteConnection(of: ConnectedWatcher())
        #expect(state.databaseConnection?.isConnected == true)
        let since = state.databaseConnection?.since
        state.noteConnection(of: ConnectedWatcher())
        #expect(state.databaseConnection?.since == since)
        state.noteDoubt(SourceError("memory:test", reason: "the connection was lost"))
        #expect(state.databaseConnection?.isConnected == false)
        #expect(state.databaseConnection?.work == ConnectedWatcher().databaseWork)
        state.storeStatus = .ok
        #expect(state.storeStatus.lastError == "memory:test: the connection was lost.")
        state.endDoubt()
        #expect(state.storeStatus == .ok)
    }

    @Test(
        "reads the parts of a name",
        arguments: [
            ("k3f9ab-12", "k3f9ab", 12), ("a-b-0", "a-b", 0), ("-1", nil, nil), ("k3", nil, nil), ("k3-", nil, nil),
            ("k3-x", nil, nil), ("k3-+1", nil, nil), ("", nil, nil), ("k3-99999999999999999999", nil, nil),
        ] as [(String, String?, Int?)])
    func names(_ text: String, _ epoch: String?, _ number: Int?) {
        let name = RevisionName(text)
        #expect(name?.epoch == epoch)
        #expect(name?.number == number)
    }
}

/// The watcher of a database that is connected, and has done something.
private final class ConnectedWatcher: SourceWatcher {
    let isConnected: Bool? = true
    var databaseWork: DatabaseWork {
        var work = DatabaseWork()
        work.madeConnections = 2
        return work
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        throw SourceError("memory:test", reason: "it is only watched")
    }
}
