import Dispatch
import Foundation
import Levels
import Locking
import PropertyLists
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("An edit")
struct EditTests {
    private let scratch: ScratchFolder
    private let journal = Journal()
    private let outcomes = EditOutcomes()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    private func store(_ onSave: @escaping @Sendable (Int) throws(SaveError) -> Void = { _ in }) throws -> TreeStore {
        try store(EditableSource(scratch("Data.plist"), onSave: onSave))
    }

    private func store(_ source: some TreeSource) throws -> TreeStore {
        try TreeStore(source: source) { [journal] in journal.note($0) }
    }

    /// The result of loading the file.
    private var saved: [String] {
        get throws {
            let level = try PropertyListFile(path: scratch("Data.plist")).load(replacing: nil).tree.document.child(0)
            return level.map { level in (0..<level.count).map(level.title) } ?? []
        }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }
    }

    @Test("is saved, then published with a revision and a cause of its own, and not loaded again")
    func one() throws {
        let store = try store()
        let before = store.current
        #expect(
            store.edited([.insert(.string("B"), below: .root, at: .last, section: nil)], by: "alice") == "done 1: A B")
        #expect(try saved == ["A", "B"])
        #expect(store.current.cause == .edit(author: "alice"))
        #expect(store.current.revision != before.revision)
        #expect(store.inserted("C") == "done 2: A B C")
        #expect(store.current.cause == .edit(author: nil))
        #expect(try saved == ["A", "B", "C"])
        #expect(try names == ["Data.plist"])
        store.stop()
        let loads = journal.events.count {
            switch $0 {
            case .loaded, .unchanged: true
            default: false
            }
        }
        #expect(loads == 1)
    }

    @Test("is answered before it is logged, because the log may be slow")
    func order() throws {
        let steps = Guarded<[String]>([])
        let store = try TreeStore(source: EditableSource(scratch("Data.plist"), onSave: { _ in })) { [journal] event in
            if case .edited = event { steps.withLock { $0.append("logged") } }
            journal.note(event)
        }
        let batch = EditBatch([.insert(.string("B"), below: .root, at: .last, section: nil)], isExact: false)
        store.edit(
            EditRequest(content: .edits(batch), author: nil, precondition: { _ in }) {
                [publications = store.publications] _ in
                publications.atEndOfTurn { steps.withLock { $0.append("told") } }
            })
        #expect(journal.waits { steps.withLock(\.count) == 2 })
        #expect(steps.withLock { $0 } == ["told", "logged"])
        store.stop()
    }

    @Test("reaches the deepest item that a document can have")
    func deepest() throws {
        let depth = 500
        let (before, after) = ("<dict><key>Title</key><string>d</string><key>Rows</key><array>", "</array></dict>")
        let text =
            String(repeating: before, count: depth) + "<string>A</string>" + String(repeating: after, count: depth)
        try scratch.write("Data.plist", "<plist><array>\(text)</array></plist>")
        let store = try store()
        let path = try ItemPath(Array("\(String(repeating: "/d", count: depth))/A".utf8).span)
        let patch = PropertyListValue.dictionary(.init([.init(key: "Title", value: .string("B"))]))
        #expect(store.edited([.patch(patch, at: path)], by: nil) == "done 1: d")
        store.stop()
        #expect(try String(contentsOfFile: scratch("Data.plist"), encoding: .utf8).contains("<string>B</string>"))
    }

    @Test("waits for the save of the one before it, and shares the next save with all that wait")
    func group() throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let source = EditableSource(scratch("Data.plist"), signalling: begun, until: goOn)
        let store = try store(source)
        store.insert("B", into: outcomes)
        begun.wait()
        for title in ["C", "D", "E"] { store.insert(title, into: outcomes) }
        #expect(outcomes.all.isEmpty)
        goOn.signal()
        #expect(outcomes.waits(for: 4))
        #expect(
            outcomes.all == [
                "B": "done 1: A B", "C": "done 2: A B C", "D": "done 3: A B C D", "E": "done 4: A B C D E",
            ])
        #expect(source.saves == 2)
        #expect(try saved == ["A", "B", "C", "D", "E"])
        let revisions = (0..<4).compactMap { store.publications.snapshot($0)?.revision } + [store.current.revision]
        #expect(Set(revisions).count == 5)
    }

    @Test("that changes nothing makes no revision and no save")
    func nothing() throws {
        let source = EditableSource(scratch("Data.plist"))
        let store = try store(source)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch("Data.plist")))
        #expect(store.edited([]) == "done 0: A")
        #expect(
            store.edited([
                .insert(.string("B"), below: .root, at: .last, section: nil), .delete(try ItemPath("/B".utf8.span)),
            ]) == "done 0: A")
        #expect(source.saves == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("Data.plist"))) == bytes)
        store.stop()
        #expect(journal.events.map(\.words) == ["loaded \(store.current.revision)"])
    }

    @Test("waits for the end of a save that was just found broken")
    func brokenSave() throws {
        let (isBroken, held) = (Guarded(false), Guarded<TreeStore?>(nil))
        let source = EditableSource(
            scratch("Data.plist"),
            onLoad: { [outcomes] in
                guard
                    isBroken.withLock({ isBroken in
                        defer { isBroken = false }
                        return isBroken
                    })
                else { return }
                held.withLock { $0 }?.insert("B", into: outcomes)
            })
        let store = try store(source)
        held.withLock { $0 = store }
        isBroken.withLock { $0 = true }
        try scratch.write("aside", "nonsense")
        try scratch.rename("aside", "Data.plist")
        #expect(outcomes.waits(for: 1))
        #expect(
            outcomes["B"] == "The document was changed and cannot be read any more; repair it, then repeat the edit.")
        #expect(source.saves == 0)
        held.withLock { $0 = nil }
        store.stop()
    }

    @Test("whose condition is false is refused, and the others of its group are done")
    func precondition() throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = try store { number throws(SaveError) in
            guard number == 1 else { return }
            begun.signal()
            goOn.wait()
        }
        store.insert("B", into: outcomes)
        begun.wait()
        store.insert("C", into: outcomes)
        store.edit(
            [.delete(try ItemPath("/A".utf8.span))], as: "no C", into: outcomes
        ) { snapshot throws(EditRefusal) in
            if snapshot.titles.contains("C") {
                throw EditRefusal(.preconditionFailed(current: nil, fields: nil), detail: "There is a C.")
            }
        }
        store.edit(
            [.delete(try ItemPath("/A".utf8.span))], as: "a C", into: outcomes
        ) { snapshot throws(EditRefusal) in
            if !snapshot.titles.contains("C") {
                throw EditRefusal(.preconditionFailed(current: nil, fields: nil), detail: "There is no C.")
            }
        }
        goOn.signal()
        #expect(outcomes.waits(for: 4))
        #expect(outcomes["no C"] == "There is a C.")
        #expect(outcomes["a C"] == "done 3: B C")
        #expect(try saved == ["B", "C"])
    }

    @Test(
        "that cannot be saved leaves file and tree, and the next one works",
        arguments: [
            (SaveError.noSpace("full"), "no space", ["full"]), (.failed("broken"), "failed", ["broken"]),
            (.unknown("cut"), "unknown", ["cut, perhaps saved"]), (.busy("locked"), "busy", ["locked"]),
            (.away("gone"), "away", ["gone"]), (.outOfMemory, EditRefusal.outOfMemory.detail, []),
            (.unwritable(SaveRefusal("the file is old")), EditRefusal(SaveRefusal("the file is old")).detail, []),
        ])
    func failure(_ error: SaveError, _ words: String, _ told: [String]) throws {
        let store = try store { number throws(SaveError) in if number == 1 { throw error } }
        let before = store.current
        #expect(store.inserted("B") == words)
        #expect(store.current === before)
        #expect(try saved == ["A"])
        #expect(store.inserted("C") == "done 1: A C")
        #expect(try saved == ["A", "C"])
        store.stop()
        #expect(journal.events.map(\.words).filter { $0.hasPrefix("not saved") } == told.map { "not saved: \($0)" })
    }

    @Test("applies to another program's save in the meantime, and both are kept")
    func foreign() throws {
        let scratch = scratch
        let store = try store { number throws(SaveError) in
            guard number == 1 else { return }
            do {
                try scratch.write("aside", items("A", "X"))
                try scratch.rename("aside", "Data.plist")
            } catch {
                throw .failed("\(error)")
            }
        }
        #expect(store.inserted("B") == "done 2: A X B")
        #expect(try saved == ["A", "X", "B"])
        #expect(store.publications.snapshot(1)?.cause == .load)
        #expect(try names == ["Data.plist"])
    }

    @Test("is refused while a file cannot be read, is missing, or may not be written to")
    func unsavable() throws {
        let store = try store()
        try scratch.permit(0o444, "Data.plist")
        #expect(
            store.inserted("B")
                == "The document's file is read-only; give the server permission to write to it.")
        try scratch.permit(0o644, "Data.plist")
        try scratch.write("Data.plist", "<plist><array>")
        #expect(
            store.inserted("B")
                == "The document was changed and cannot be read any more; repair it, then repeat the edit.")
        #expect(try String(contentsOfFile: scratch("Data.plist"), encoding: .utf8) == "<plist><array>")
        try scratch.remove("Data.plist")
        #expect(
            store.inserted("B") == "The document's file no longer exists; restore it, then repeat the edit.")
        #expect(try names == [])
        try scratch.write("Data.plist", items("A"))
        #expect(journal.waits { store.status == .ok })
        #expect(store.inserted("B") == "done 1: A B")
    }

    @Test("is announced as impossible if the file is read-only when the store begins")
    func readOnly() throws {
        try scratch.permit(0o444, "Data.plist")
        try store().stop()
        #expect(
            journal.events.map(\.words).last
                == "read-only: the document's file is read-only; give the server permission to write to it.")
    }

    @Test("keeps the way in which the document is read")
    func reading() throws {
        try scratch.write("Data.json", #"{"l":[{"name":"A","x":1}],"n":1}"#)
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let store = try store(PropertyListFile(path: scratch("Data.json"), interpretation: interpretation))
        let before = try #require(store.current.reading)
        let patch = PropertyListValue.dictionary(.init([.init(key: "x", value: .string("B"))]))
        #expect(store.edited([.patch(patch, at: try ItemPath("l/A".utf8.span))]) == "done 1: l")
        #expect(store.current.reading == before)
    }

    @Test("waits for a program that has truncated the file and has not written it yet")
    func truncated() throws {
        let store = try store()
        let editor = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try editor.truncate(atOffset: 0)
        store.insert("B", into: outcomes)
        // The edit has found the file empty.
        #expect(journal.waits { store.isStale })
        #expect(outcomes.all.isEmpty)
        try editor.write(contentsOf: Data(items("X").utf8))
        try editor.close()
        #expect(outcomes.waits(for: 1))
        #expect(outcomes.all == ["B": "done 2: X B"])
        #expect(try saved == ["X", "B"])
    }

    @Test("is done if the program has just closed the file, and the store does not know of it yet")
    func justClosed() throws {
        let source = WatchedSource(PropertyListFile(path: scratch("Data.plist"), pollInterval: .seconds(3_600)))
        let store = try store(source)
        source.refuse(with: SourceError("Data.plist", reason: "it is half written"))
        try scratch.write("aside", items("X"))
        try scratch.rename("aside", "Data.plist")
        #expect(journal.waits { store.isStale })
        source.beginWriting()
        #expect(store.inserted("B") == "done 2: X B")
    }

    @Test("is refused after some seconds if a program keeps the file truncated")
    func keptTruncated() throws {
        let store = try store()
        let editor = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try editor.truncate(atOffset: 0)
        #expect(
            store.inserted("B")
                == "Another program keeps the document open for writing, or changes it again and again; repeat the edit when it has finished."
        )
        try editor.close()
        #expect(
            store.inserted("B")
                == "The document was changed and cannot be read any more; repair it, then repeat the edit.")
    }

    @Test("that waits when the store stops is answered with that; so is a later one")
    func stop() throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = try store { number throws(SaveError) in
            begun.signal()
            goOn.wait()
        }
        store.insert("B", into: outcomes)
        begun.wait()
        store.insert("C", into: outcomes)
        store.requestStop()
        goOn.signal()
        #expect(outcomes.waits(for: 2))
        #expect(outcomes.all == ["B": "done 1: A B", "C": "stopped"])
        store.stop()
        #expect(store.inserted("D") == "stopped")
        #expect(try saved == ["A", "B"])
    }

    @Test("is turned away if a thousand are waiting")
    func busy() throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let source = EditableSource(scratch("Data.plist"), signalling: begun, until: goOn)
        let store = try store(source)
        store.insert("B", into: outcomes)
        begun.wait()
        for number in 0..<1_024 { store.edit([], as: "\(number)", into: outcomes) }
        #expect(store.inserted("C") == "busy")
        goOn.signal()
        #expect(outcomes.waits(for: 1_025))
        #expect(store.inserted("C") == "done 2: A B C")
    }
}
