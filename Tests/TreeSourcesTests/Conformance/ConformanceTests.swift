import Levels
import PropertyLists
import TestSources
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

/// The behaviour of every source, on which a tree store relies.
@Suite("Every source")
struct ConformanceTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A watcher that has loaded its source, and the document.
    private func loaded(_ tested: TestedSource) throws -> (watcher: any SourceWatcher, tree: LoadedTree) {
        let watcher = tested.source.makeWatcher()
        return (watcher, try watcher.load(replacing: nil))
    }

    /// Follows the source until its document changes, as a store does.
    ///
    /// - Returns: the new document; nil if nothing is reported.
    /// - Throws: `SourceError` if the source cannot be read.
    private func follow(_ watcher: any SourceWatcher, from old: Level) throws -> Level? {
        while let report = watcher.nextReport() {
            switch report {
            case .changed, .arrived:
                let document = try watcher.load(replacing: old).tree.document
                if document.hash != old.hash { return document }
            case .advanced(let advances): return advances.last?.document
            case .failed(let error): throw error
            case .confirmed, .committed: continue
            }
        }
        return nil
    }

    /// Whether a watcher reports no change of its source; it may confirm the document again.
    private func isQuiet(_ watcher: any SourceWatcher) -> Bool {
        while let report = watcher.advance(at: .now) {
            guard report == .confirmed else { return false }
        }
        return true
    }

    private func apply(_ tested: TestedSource, _ number: Int, to group: any EditGroup) throws -> EditedTree {
        let edit = try #require(tested.edit)
        return try #require(try group.apply(EditBatch([try edit(number)], isExact: false)))
    }

    // MARK: Reading

    @Test("has a name, and loads the same tree at once and by a watcher", arguments: TestedKind.all)
    func load(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        #expect(!tested.source.name.isEmpty)
        let first = try tested.source.load(replacing: nil)
        #expect(tested.titles(first.tree.document) == ["A", "B"])
        let (watcher, second) = try loaded(tested)
        #expect(second.tree.document.hash == first.tree.document.hash)
        #expect(second.fingerprint == first.fingerprint || watcher.fingerprint == nil)
        #expect(second.warnings.isEmpty)
        #expect(isQuiet(watcher))
    }

    @Test("names its revisions always, or never", arguments: TestedKind.all)
    func revisions(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, tree) = try loaded(tested)
        #expect((tree.revision != nil) == tested.namesRevisions)
        #expect(try tested.source.load(replacing: nil).revision == tree.revision)
        guard tested.edit != nil else { return }
        let edited = try apply(tested, 0, to: watcher.beginEdits())
        #expect((edited.revision != nil) == tested.namesRevisions)
        #expect(edited.revision == nil || edited.revision != tree.revision)
    }

    @Test("reports each change, and shows the changes of other programs", arguments: TestedKind.all)
    func changes(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, tree) = try loaded(tested)
        var document = tree.tree.document
        for titles in [["C"], ["C", "D"], ["A", "B"]] {
            try tested.write(titles)
            document = try #require(try follow(watcher, from: document))
            #expect(tested.titles(document) == titles)
        }
        #expect(try tested.source.load(replacing: nil).tree.document.hash == document.hash)
    }

    @Test("shares the levels that have not changed with the tree that a load replaces", arguments: TestedKind.all)
    func sharing(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, tree) = try loaded(tested)
        let first = tree.tree.document
        let second = try watcher.load(replacing: first).tree.document
        #expect(tested.level(first) === tested.level(second))
    }

    @Test("refuses an unreadable database with a sentence that names it, and continues", arguments: TestedKind.all)
    func refusal(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, tree) = try loaded(tested)
        try tested.spoil()
        do {
            _ = try follow(watcher, from: tree.tree.document)
            Issue.record("it was read")
        } catch let error as SourceError {
            let sentence = "\(error)"
            #expect(sentence.hasPrefix(tested.source.name) && sentence.hasSuffix("."))
            #expect(sentence.contains(": "))
        }
        #expect(throws: SourceError.self) { try tested.source.load(replacing: nil) }
        try tested.write(["D"])
        let document = try #require(try follow(watcher, from: tree.tree.document))
        #expect(tested.titles(document) == ["D"])
    }

    @Test("is read again when that is asked for", arguments: TestedKind.all)
    func refresh(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, tree) = try loaded(tested)
        guard !watcher.refresh() else {
            #expect(try watcher.load(replacing: nil).tree.document.hash == tree.tree.document.hash)
            return
        }
        switch watcher.nextReport() {
        case .confirmed, .advanced, .committed: return
        case .arrived: #expect(try watcher.load(replacing: nil).tree.document.hash == tree.tree.document.hash)
        case .changed, .failed, nil: Issue.record("it is not reported")
        }
    }

    // MARK: Editing

    @Test("saves the edits of a group together, durably, and reports no change for it", arguments: TestedKind.all)
    func edits(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, tree) = try loaded(tested)
        guard tested.edit != nil else {
            #expect(throws: EditRefusal.self) { try watcher.beginEdits() }
            guard case .nothing(let refusal) = watcher.savability(at: .root) else {
                Issue.record("it can be saved")
                return
            }
            #expect(!refusal.reason.isEmpty && !refusal.reason.hasSuffix("."))
            return
        }
        #expect(watcher.savability(at: .root) != .nothing(.elsewhere))
        for round in 0..<2 {
            let group = try watcher.beginEdits()
            let first = try apply(tested, round * 2, to: group)
            let second = try apply(tested, round * 2 + 1, to: group)
            #expect(first.document.hash != second.document.hash)
            // Nothing has happened before the save.
            let before = try tested.source.load(replacing: nil).tree.document
            #expect(before.hash != first.document.hash)
            #expect(round > 0 || before.hash == tree.tree.document.hash)
            let fingerprint = try group.save()
            group.finish()
            let fresh = try tested.source.load(replacing: nil)
            #expect(fresh.tree.document.hash == second.document.hash)
            #expect(fingerprint == nil || fingerprint == fresh.fingerprint)
            #expect(second.revision == fresh.revision)
            #expect(isQuiet(watcher))
            #expect(try watcher.load(replacing: nil).tree.document.hash == second.document.hash)
        }
    }

    @Test(
        "saves a request in which items pass their keys on",
        arguments: [TestedKind.xml, .binary, .json, .memory, .sqlite, .postgres])
    func passedKeys(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        let (watcher, _) = try loaded(tested)
        func key(_ old: String, to new: String) throws -> Edit {
            .patch(.dictionary(.init([.init(key: "Key", value: .string(new))])), at: try ItemPath("/\(old)".utf8.span))
        }
        func insert(_ key: String) -> Edit {
            .insert(
                .dictionary(.init([.init(key: "Title", value: .string(key)), .init(key: "Key", value: .string(key))])),
                below: .root, at: .first, section: nil)
        }
        func move(_ path: String, below parent: String) throws -> Edit {
            .move(
                try ItemPath(path.utf8.span), below: try ItemPath(parent.utf8.span), at: .last, section: nil)
        }
        let batches = [
            ["a", "b", "c"].map(insert),
            try [key("a", to: "t"), key("b", to: "a"), key("t", to: "b")],
            try [key("c", to: "d"), key("b", to: "c"), key("a", to: "b")],
            try [key("b", to: "z"), insert("b")],
            try [move("/z", below: "/c"), insert("z")],
            try [move("/c/z", below: "/d"), .delete(ItemPath("/c".utf8.span)), insert("c")],
        ]
        for batch in batches {
            let group = try watcher.beginEdits()
            let edited = try #require(try group.apply(EditBatch(batch, isExact: true)))
            _ = try group.save()
            group.finish()
            #expect(try tested.source.load(replacing: nil).tree.document.hash == edited.document.hash)
            #expect(isQuiet(watcher))
        }
    }

    @Test("refuses an edit of a missing item, and continues as before", arguments: TestedKind.all)
    func refusedEdit(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        guard tested.edit != nil else { return }
        let (watcher, _) = try loaded(tested)
        let group = try watcher.beginEdits()
        let before = try apply(tested, 0, to: group)
        #expect(throws: EditRefusal.self) {
            try group.apply(EditBatch([.setting("/nowhere/else", "true")], isExact: false))
        }
        _ = try group.save()
        group.finish()
        #expect(try tested.source.load(replacing: nil).tree.document.hash == before.document.hash)
    }

    @Test("saves nothing over another program's write, and shows that instead", arguments: TestedKind.all)
    func foreignChange(_ kind: TestedKind) throws {
        let tested = try kind.make(scratch)
        guard tested.edit != nil else { return }
        let (watcher, tree) = try loaded(tested)
        var group = try watcher.beginEdits()
        _ = try apply(tested, 0, to: group)
        try tested.write(["B", "X"])
        if kind.testDescription != TestedKind.bundle.testDescription {
            #expect(throws: SaveError.self) { try group.save() }
        }
        let foreign = try #require(try follow(watcher, from: tree.tree.document))
        #expect(tested.titles(foreign).suffix(2) == ["B", "X"])
        group = try watcher.beginEdits()
        let edited = try apply(tested, 0, to: group)
        _ = try group.save()
        group.finish()
        #expect(tested.titles(edited.document).starts(with: ["B", "X"]))
        #expect(try tested.source.load(replacing: nil).tree.document.hash == edited.document.hash)
    }
}
