import Dispatch
import Levels
import Locking
import TestSources
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The edits of a group")
struct GroupCommitTests {
    private let scratch: ScratchFolder
    private let outcomes = EditOutcomes()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    private func document(_ titles: String...) throws -> Level {
        try scratch.write("Other.plist", "[\(titles.map { "\"\($0)\"" }.joined(separator: ","))]")
        return try PropertyListFile(path: scratch("Other.plist")).load(replacing: nil).tree.document
    }

    /// A group whose edits lead to a given tree each.
    private final class Group: EditGroup {
        private var trees: [EditedTree]

        private let onSave: () -> Void

        init(_ trees: [EditedTree], onSave: @escaping () -> Void = {}) { (self.trees, self.onSave) = (trees, onSave) }

        func apply(_ batch: EditBatch, by author: String?) -> EditedTree? { trees.isEmpty ? nil : trees.removeFirst() }

        func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
            throw EditRefusal(.conflict, detail: "This is not tested.")
        }

        func save() -> Fingerprint? {
            onSave()
            return nil
        }
        func finish() {}
    }

    /// Numbers whose groups of edits lead to given trees.
    private struct GroupSource: TreeSource {
        let name = "groups"
        let trees: [EditedTree]
        /// Called during each save with the closure that reports a doubt.
        var onSave: @Sendable ((SourceError) -> Void) -> Void = { _ in }

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
            try NumberSource(count: 3).load(replacing: old)
        }

        func makeWatcher() -> any SourceWatcher { Watcher(self) }
    }

    private final class Watcher: SourceWatcher {
        private let source: GroupSource
        private var report: (SourceError) -> Void = { _ in }

        init(_ source: GroupSource) { self.source = source }

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try source.load(replacing: old) }
        func whenInDoubt(_ report: @escaping (SourceError) -> Void) { self.report = report }
        func beginEdits() -> any EditGroup { Group(source.trees) { [source, report] in source.onSave(report) } }
    }

    @Test("are refused if the source takes none of them together")
    func notTaken() throws {
        let store = try TreeStore(source: GroupSource(trees: []))
        for _ in 0..<2 { #expect(store.edited([]) == "The edits cannot be saved together; send them one by one.") }
    }

    @Test("end a doubt when their save ends")
    func doubt() throws {
        let during = Guarded<[StoreStatus?]>([])
        let held = Guarded<TreeStore?>(nil)
        let source = GroupSource(trees: [EditedTree(document: try document("B"), items: [])]) { report in
            report(SourceError("groups", reason: "the connection was lost"))
            during.withLock { $0.append(held.withLock { $0?.status }) }
        }
        let store = try TreeStore(source: source)
        held.withLock { $0 = store }
        #expect(store.edited([]) == "done 1: B")
        #expect(during.withLock { $0 }.map { $0?.lastError } == ["groups: the connection was lost."])
        #expect(store.status == .ok)
        held.withLock { $0 = nil }
    }

    @Test("are a change if only a translation differs, and otherwise not")
    func translation() throws {
        func translations(_ title: String) throws -> Translations {
            Translations(
                variants: [.init(name: "de", language: "de", document: try document(title))], fallback: nil)
        }
        let shown = try document("A")
        let base = Snapshot(
            document: shown, translations: try translations("B"), revision: "k3-1", loadedAt: 0)
        for (title, isChange) in [("B", false), ("C", true)] {
            let made = Guarded(0)
            let tree = EditedTree(document: shown, translations: try translations(title), items: [])
            let request = EditRequest(content: .edits(EditBatch([], isExact: false)), author: nil) { _ in }
            let commit = GroupCommit(requests: [request], to: base, by: Group([tree])) { tree, _ in
                made.withLock { $0 += 1 }
                return Snapshot(
                    document: tree.document, translations: tree.translations, revision: "k3-2", loadedAt: 0)
            }
            #expect(commit.isChange == isChange)
            #expect(made.withLock { $0 } == (isChange ? 1 : 0))
        }
    }

    @Test("fail together, but an earlier refusal holds, because it depends on no edit")
    func failure() throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let source = EditableSource(scratch("Data.plist")) { number throws(SaveError) in
            if number == 1 {
                begun.signal()
                goOn.wait()
            } else {
                throw .noSpace("full")
            }
        }
        let store = try TreeStore(source: source) { _ in }
        func refuse(_ name: String) {
            store.edit([], as: name, into: outcomes) { snapshot throws(EditRefusal) in
                throw EditRefusal(.conflict, detail: "The titles are \(snapshot.titles).")
            }
        }
        store.insert("B", into: outcomes)
        begun.wait()
        refuse("before")
        store.insert("C", into: outcomes)
        refuse("behind")
        goOn.signal()
        #expect(outcomes.waits(for: 4))
        #expect(
            outcomes.all == [
                "B": "done 1: A B", "before": "The titles are A B.", "C": "no space", "behind": "no space",
            ])
        #expect(source.saves == 2)
    }

    @Test("are refused only for what the latest tree shows")
    func oldTree() throws {
        let scratch = scratch
        let isOld = Guarded(true)
        let source = EditableSource(
            scratch("Data.plist"),
            onConfirm: { () throws(SaveError) in
                let isFirst = isOld.withLock { isOld in
                    defer { isOld = false }
                    return isOld
                }
                guard isFirst else { return }
                do {
                    try scratch.write("aside", items("A", "B"))
                    try scratch.rename("aside", "Data.plist")
                } catch {
                    throw .failed("\(error)")
                }
                throw .changedMeanwhile
            })
        let store = try TreeStore(source: source) { _ in }
        let path = try ItemPath(Array("B".utf8).span)
        #expect(store.edited([.delete(path)]) == "done 2: A")
        #expect(store.edited([.delete(path)]) == "There is no 'B' in /.")
    }

    @Test("are not refused while the latest tree is unknown")
    func unknownTree() throws {
        let source = EditableSource(
            scratch("Data.plist"), onSave: { _ throws(SaveError) in throw .noSpace("full") },
            onConfirm: { () throws(SaveError) in throw .away("away") })
        let store = try TreeStore(source: source) { _ in }
        #expect(store.edited([.delete(try ItemPath(Array("B".utf8).span))]) == "away")
        #expect(store.edited([]) == "away")
        #expect(store.inserted("C") == "no space")
    }

    @Test("survive eight foreign saves in a row, and are refused after the ninth", arguments: [8, 9])
    func foreignSaves(_ count: Int) throws {
        let scratch = scratch
        let source = EditableSource(scratch("Data.plist")) { number throws(SaveError) in
            guard number <= count else { return }
            do {
                try scratch.write("aside", items("X\(number)"))
                try scratch.rename("aside", "Data.plist")
            } catch {
                throw .failed("\(error)")
            }
        }
        let store = try TreeStore(source: source) { _ in }
        let refusal =
            "Another program keeps the document open for writing, or changes it again and again; repeat the edit when it has finished."
        #expect(store.inserted("B") == (count == 8 ? "done 9: X8 B" : refusal))
        #expect(source.saves == 9)
        #expect(store.current.titles == (count == 8 ? "X8 B" : "X9"))
    }
}
