import Foundation
import Levels
import Locking
import Synchronization
import TestSources
import Testing
import Threads
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("A tree store")
struct TreeStoreTests {
    private let scratch: ScratchFolder
    private let journal = Journal()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    private func store() throws -> TreeStore {
        try TreeStore(source: PropertyListFile(path: scratch("Data.plist"))) { [journal] in journal.note($0) }
    }

    @Test("has a tree from the beginning, and a revision and a time with it")
    func first() throws {
        let before = Date().timeIntervalSince1970
        let store = try store()
        #expect(store.titles == ["A"])
        #expect(store.current.itemCount == 1)
        #expect(store.current.revision.hasSuffix("-1"))
        #expect(store.current.revision.count == 8)
        #expect(store.current.loadedAt >= before - 1)
        #expect(store.current.loadedAt <= Date().timeIntervalSince1970 + 1)
        #expect(store.status == .ok)
        guard case .loaded(let snapshot, _) = journal.events.first else {
            Issue.record("the load was not told")
            return
        }
        #expect(snapshot === store.current)
    }

    @Test("does not begin where the first load is refused")
    func firstRefused() throws {
        try scratch.write("Data.plist", "<plist>")
        let sentence = #"\#(scratch("Data.plist")):1:8: "#
        do {
            _ = try store()
            Issue.record("the store began")
        } catch let error as SourceError {
            #expect(error.description.hasPrefix(sentence))
        }
    }

    @Test("reports the warnings of a load")
    func warnings() throws {
        try scratch.write(
            "Data.plist", "<array><dict><key>Title</key><string>A</string><key>Children</key><array/></dict></array>")
        _ = try store()
        guard case .warnings(let warnings, omitted: 0) = journal.events.last else {
            Issue.record("the warning was not told")
            return
        }
        #expect(
            warnings.map(\.description) == [
                "\(scratch("Data.plist")):1:67: in /A: the list of children is empty, so the item is a leaf; omit the key if that is intended."
            ])
    }

    @Test("counts its revisions by one, and keeps the prefix")
    func revisions() throws {
        let store = try store()
        let first = store.current
        try scratch.write("Data.plist", items("B"))
        guard case .published(let second) = store.reloaded() else {
            // The watcher was faster.
            #expect(store.titles == ["B"])
            return
        }
        #expect(second.revision == first.revision.dropLast() + "2")
        #expect(second === store.current)
        #expect(first.document.child(0)?.title(0) == "A")
    }

    @Test("publishes nothing when the content is as it was")
    func unchanged() throws {
        let store = try store()
        let snapshot = store.current
        guard case .unchanged(let same) = store.reloaded() else {
            Issue.record("something was published")
            return
        }
        #expect(same === snapshot)
        try scratch.write("aside", items("A") + "\n<!-- saved anew -->")
        try scratch.rename("aside", "Data.plist")
        #expect(journal.waits { journal.unchanged >= 2 })
        #expect(store.current === snapshot)
    }

    @Test("publishes a change in place that follows a touch")
    func touched() throws {
        let store = try store()
        try scratch.permit(0o600, "Data.plist")
        #expect(journal.waits { journal.unchanged >= 1 })
        try scratch.write("Data.plist", items("B"))
        #expect(journal.waits { store.titles == ["B"] })
    }

    @Test("answers a reload that is refused with the reason, and keeps its tree")
    func refused() throws {
        let store = try store()
        try scratch.remove("Data.plist")
        let sentence =
            "\(scratch("Data.plist")): the file does not exist in the folder \(scratch.path); name a property list file that exists."
        guard case .refused(let error) = store.reloaded() else {
            Issue.record("the reload was not refused")
            return
        }
        #expect(error.description == sentence)
        #expect(store.status.lastError == sentence)
        #expect(store.titles == ["A"])
    }

    @Test("adopts the levels that are as they were, as the same objects")
    func adoption() throws {
        func text(_ last: String) -> String {
            #"[{"Title":"A","Children":["a","b"]},{"Title":"B","Children":["\#(last)"]}]"#
        }
        try scratch.write("Data.plist", text("c"))
        let store = try store()
        let old = store.current
        try scratch.write("Data.plist", text("d"))
        #expect(journal.waits { store.current !== old })
        let new = store.current
        #expect(new.document.child(0)?.child(0) === old.document.child(0)?.child(0))
        #expect(new.document.child(0)?.child(1) !== old.document.child(0)?.child(1))
    }

    @Test("passes its subscribers the old and the new snapshot")
    func subscribers() throws {
        let store = try store()
        let told = Guarded<[(Snapshot, Publication)]>([])
        let isTold = DispatchSemaphore(value: 0)
        let old = store.current
        store.publications.subscribe { old, new in
            told.withLock { $0.append((old, new)) }
            isTold.signal()
        }
        try scratch.write("Data.plist", items("B"))
        #expect(isTold.wait(timeout: .now() + .seconds(120)) == .success)
        let pair = try #require(told.withLock { $0.first })
        #expect(pair.0 === old)
        #expect(pair.1.number == 1)
        #expect(pair.1.snapshot.document.child(0)?.title(0) == "B")
    }

    @Test("frees a tree on its own thread when the last reader has let go, and not before")
    func retirement() throws {
        // Without a journal, whose entries would hold it.
        let store = try TreeStore(source: PropertyListFile(path: scratch("Data.plist")), historyBytes: 0)
        var held: Snapshot? = store.current
        weak let old = held?.document
        try scratch.write("Data.plist", items("B"))
        _ = store.reloaded()
        #expect(store.titles == ["B"])
        _ = store.reloaded()
        #expect(held?.document.child(0)?.title(0) == "A")
        let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.reload { _ in
            isHeld.signal()
            isReleased.wait()
        }
        isHeld.wait()
        held = nil
        // The store's thread is kept from it for now.
        #expect(old?.child(0)?.title(0) == "A")
        isReleased.signal()
        // An answer comes before the store frees anything, and the one after it comes later than that.
        _ = store.reloaded()
        _ = store.reloaded()
        #expect(old == nil)
    }

    @Test("sleeps without a limit while a reader holds an old snapshot")
    func sleep() throws {
        let sleeps = Sleeps()
        let file = PropertyListFile(path: scratch("Data.plist"), pollInterval: .seconds(3_600))
        let store = try TreeStore(source: WatchedSource(file, sleeps: sleeps)) { [journal] in journal.note($0) }
        let held = store.current
        try scratch.write("Data.plist", items("B"))
        #expect(journal.waits { store.titles == ["B"] })
        #expect(sleeps.waitsForUnlimited())
        #expect(held.document.child(0)?.title(0) == "A")
    }

    @Test("loads again after a burst of changes, but only if the source has changed since", arguments: [false, true])
    func burst(isDoubtful: Bool) throws {
        let sleeps = Sleeps()
        let file = PropertyListFile(path: scratch("Data.plist"), pollInterval: .seconds(3_600))
        let source = WatchedSource(file, sleeps: sleeps, isDoubtful: isDoubtful)
        let store = try TreeStore(source: source) { [journal] in journal.note($0) }
        try scratch.write("aside", items("B"))
        try scratch.rename("aside", "Data.plist")
        #expect(journal.waits { store.titles == ["B"] })
        #expect(sleeps.waitsForUnlimited())
        #expect(journal.unchanged == (isDoubtful ? 1 : 0))
    }

    @Test("reads again after a failure, without an event")
    func retry() throws {
        let file = PropertyListFile(path: scratch("Data.plist"), pollInterval: .milliseconds(20))
        let sleeps = Sleeps()
        let source = WatchedSource(file, sleeps: sleeps)
        let store = try TreeStore(source: source) { [journal] in journal.note($0) }
        source.refuse(with: SourceError(file.path, reason: "no descriptors"))
        try scratch.write("Data.plist", items("B"))
        #expect(journal.waits { store.isStale })
        #expect(store.titles == ["A"])
        // So long a pause, of 160 milliseconds, follows the fourth failure.
        #expect(sleeps.waits { $0.contains { $0 ?? .zero > .milliseconds(100) } })
        source.refuse(with: nil)
        #expect(journal.waits { store.titles == ["B"] })
        #expect(store.status == .ok)
        #expect(journal.refusals == ["\(file.path): no descriptors."])
    }

    @Test("does not read content with an error again until it has changed")
    func noRetry() throws {
        let sleeps = Sleeps()
        let file = PropertyListFile(path: scratch("Data.plist"), pollInterval: .seconds(3_600))
        let store = try TreeStore(source: WatchedSource(file, sleeps: sleeps)) { [journal] in journal.note($0) }
        try scratch.write("Data.plist", "<plist><array><string>B</string>")
        #expect(journal.waits { store.isStale })
        #expect(sleeps.waitsForUnlimited())
        try scratch.write("Data.plist", items("B"))
        #expect(journal.waits { store.titles == ["B"] })
    }

    @Test("begins its pauses anew after each change")
    func pauses() throws {
        let sleeps = Sleeps()
        let file = PropertyListFile(path: scratch("Data.plist"), pollInterval: .seconds(30))
        let source = WatchedSource(file, sleeps: sleeps)
        let store = try TreeStore(source: source) { [journal] in journal.note($0) }
        source.refuse(with: SourceError(file.path, reason: "no descriptors"))
        for count in 1...2 {
            try scratch.write("aside", items("B"))
            try scratch.rename("aside", "Data.plist")
            #expect(journal.waits { journal.refusals.count == count })
            // The sleep before the refusal ended with the burst.
            #expect(sleeps.waits { ($0.last ?? nil).map { (.seconds(1) ... .seconds(30)).contains($0) } ?? false })
        }
        #expect(store.titles == ["A"])
    }

    @Test("reports how a document was read after the first load, and after each load that reads it otherwise")
    func readings() throws {
        let tables = ["Title,N\nOne,1\n", "Title,N\nTwo,1\n", "Name,N\nTwo,1\n", "Name,N\nThree,1\n"]
        try scratch.write("Data.csv", tables[0])
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let file = PropertyListFile(
            path: scratch("Data.csv"), interpretation: interpretation, pollInterval: .seconds(3_600))
        let store = try TreeStore(source: file) { [journal] in journal.note($0) }
        for table in tables {
            try scratch.write("aside", table)
            try scratch.rename("aside", "Data.csv")
            _ = store.reloaded()
        }
        let readings = journal.events.compactMap { if case .reading(let reading, _) = $0 { reading } else { nil } }
        #expect(readings == ["read as it is: rows by 'Title'", "read as it is: rows by 'Name'"])
        #expect(!journal.events.contains { if case .warnings = $0 { true } else { false } })
    }

    @Test("reports that a document is one of items only if it was read otherwise before", arguments: [false, true])
    func readAsItems(isOther: Bool) throws {
        let items = #"[{"Title":"A","Children":["B"]}]"#
        try scratch.write("Data.json", isOther ? #"{"a":[{"x":1}],"b":2}"# : items)
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let file = PropertyListFile(
            path: scratch("Data.json"), interpretation: interpretation, pollInterval: .seconds(3_600))
        let store = try TreeStore(source: file) { [journal] in journal.note($0) }
        for _ in 0..<2 {
            try scratch.write("aside", items)
            try scratch.rename("aside", "Data.json")
            _ = store.reloaded()
        }
        let readings = journal.events.compactMap {
            if case .reading(let reading, let isChange) = $0 { "\(isChange ? "now " : "")\(reading)" } else { nil }
        }
        #expect(readings == (isOther ? ["read as it is: rows by their names", "now read as a document of items"] : []))
    }

    @Test("publishes rows that are not in memory if their fingerprint differs, and otherwise not")
    func rows() throws {
        let source = CountedSource()
        let store = try TreeStore(source: source)
        for (state, isNew) in [(1, false), (2, true), (2, false)] as [(UInt64, Bool)] {
            source.state.withLock { $0 = state }
            let before = store.current
            _ = store.reloaded()
            #expect((store.current !== before) == isNew)
        }
    }

    @Test("keeps its tree when it is stopped, and answers later requests so")
    func stopped() throws {
        let store = try store()
        store.stop()
        store.stop()
        #expect(store.titles == ["A"])
        guard case .stopped = store.reloaded() else {
            Issue.record("a stopped store reloaded")
            return
        }
    }

    @Test("can be stopped from its own thread")
    func stoppedByItself() throws {
        let store = try store()
        let stopped = DispatchSemaphore(value: 0)
        store.reload { _ in
            store.stop()
            stopped.signal()
        }
        #expect(stopped.wait(timeout: .now() + .seconds(120)) == .success)
    }

    @Test("ends its thread when nobody holds it any more")
    func released() throws {
        weak let gone = try store()
        #expect(gone == nil)
    }

    @Test("is read by many threads while it publishes")
    func concurrentReaders() throws {
        let store = try store()
        let isOver = Atomic(false)
        let readers = try (0..<4).map { number in
            try Threads.Thread(name: "reader \(number)") {
                while !isOver.load(ordering: .relaxed) {
                    let snapshot = store.current
                    #expect(snapshot.document.child(0)?.count == snapshot.itemCount)
                }
            }
        }
        for number in 1...50 {
            try scratch.write("Data.plist", items("A", "\(number)"))
            _ = store.reloaded()
        }
        isOver.store(true, ordering: .relaxed)
        for reader in readers { reader.join() }
        #expect(store.titles == ["A", "50"])
    }

    @Test("loads a document of the greatest depth on its small stack, and frees it")
    func depth() throws {
        let depth = 511
        func text(_ leaf: String) -> String {
            String(repeating: #"[{"Title":"A","Children":"#, count: depth) + #"["\#(leaf)"]"#
                + String(repeating: "}]", count: depth)
        }
        try scratch.write("Data.plist", text("a"))
        let store = try store()
        try scratch.write("Data.plist", text("b"))
        _ = store.reloaded()
        try scratch.write("Data.plist", items("B"))
        _ = store.reloaded()
        _ = store.reloaded()
        #expect(store.titles == ["B"])
    }
}

/// Numbers with a fingerprint that can be changed.
private final class CountedSource: TreeSource {
    let name = "numbers"
    let state = Guarded<UInt64>(1)

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        var loaded = try NumberSource(count: 3).load(replacing: old)
        loaded.fingerprint = Fingerprint([state.withLock { $0 }])
        return loaded
    }
}
