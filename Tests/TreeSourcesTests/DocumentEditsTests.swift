import Foundation
import Levels
import PropertyLists
import TestSources
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("Edits of a document's files")
struct DocumentEditsTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Main.json", #"["A",{"Title":"M","Source":"Part.json"},{"Title":"N","Source":"Other.json"}]"#)
        try scratch.write("Part.json", #"["P"]"#)
        try scratch.write("Other.json", #"["O"]"#)
    }

    private func watcher(_ interpretation: Interpretation = .init()) throws -> DocumentWatcher {
        let file = PropertyListFile(
            path: scratch("Main.json"), interpretation: interpretation, pollInterval: .seconds(3_600))
        let watcher = DocumentWatcher(document: file)
        _ = try watcher.load(replacing: nil)
        return watcher
    }

    private func inserting(_ item: PropertyListValue, _ path: String = "/") throws -> EditBatch {
        EditBatch(
            [.insert(item, below: try ItemPath(path.utf8.span), at: .last, section: nil)], isExact: false)
    }

    private func deleting(_ path: String) throws -> EditBatch {
        EditBatch([.delete(try ItemPath(path.utf8.span))], isExact: false)
    }

    /// The titles of the first two levels, such as `A M(P) N(O)`.
    private func outline(_ document: Level) -> String {
        guard let level = document.child(0) else { return "" }
        return (0..<level.count).map { row in
            let below = level.child(row).map { child in (0..<child.count).map(child.title).joined(separator: " ") }
            return level.title(row) + (below.map { "(\($0))" } ?? "")
        }.joined(separator: " ")
    }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: scratch(name), encoding: .utf8) }

    /// The tree that a new watcher loads.
    private var loaded: LoadedTree {
        get throws { try PropertyListFile(path: scratch("Main.json")).load(replacing: nil) }
    }

    /// Saves a group, and compares the state of the watcher with that of the files.
    @discardableResult
    private func save(_ group: any EditGroup, _ edited: EditedTree?, _ watcher: DocumentWatcher) throws -> String {
        // Events of the test's own changes to the files.
        while watcher.advance(at: .now) != nil {}
        let fingerprint = try group.save()
        group.finish()
        let fresh = try loaded
        #expect(edited?.document.hash == fresh.tree.document.hash)
        #expect(edited?.composition.map { fresh.composition?.hasSameSources(as: $0) ?? false } ?? true)
        #expect(fingerprint == watcher.fingerprint)
        #expect(fingerprint == watcher.state)
        // The save's own events are not reported.
        #expect(watcher.advance(at: .now) == nil)
        let again = try watcher.load(replacing: fresh.tree.document)
        #expect(again.tree.document.hash == fresh.tree.document.hash)
        #expect((again.composition == nil) == (fresh.composition == nil))
        if let composition = again.composition, let other = fresh.composition {
            #expect(composition.hasSameSources(as: other))
        }
        return outline(fresh.tree.document)
    }

    @Test("of the document itself leave the files that it mounts")
    func main() throws {
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        let edited = try group.apply(inserting(.string("B")))
        #expect(try save(group, edited, watcher) == "A M(P) N(O) B")
        #expect(try String(contentsOfFile: scratch("Part.json"), encoding: .utf8) == #"["P"]"#)
    }

    @Test("of a mounted document are saved to its own file, one after the other")
    func part() throws {
        let watcher = try watcher()
        let main = try Data(contentsOf: URL(fileURLWithPath: scratch("Main.json")))
        for title in ["Q", "R"] {
            let group = try watcher.beginEdits()
            let edited = try group.apply(inserting(.string(title), "/M"))
            try save(group, edited, watcher)
        }
        #expect(outline(try loaded.tree.document) == "A M(P Q R) N(O)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("Main.json"))) == main)
    }

    @Test("leave the text of a large file as it is")
    func largeFile() throws {
        let long = String(repeating: "x", count: 5 << 19)
        try scratch.write("Main.json", #"[{"Title":"A","Text":"\#(long)"},"B","C"]"#)
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        #expect(try save(group, group.apply(deleting("/B")), watcher) == "A C")
        let isKept = try text("Main.json") == #"[{"Title":"A","Text":"\#(long)"},"C"]"#
        #expect(isKept)
    }

    @Test("of two files are saved in two groups")
    func twoFiles() throws {
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        let edited = try group.apply(inserting(.string("Q"), "/M"))
        #expect(try group.apply(inserting(.string("B"))) == nil)
        #expect(try save(group, edited, watcher) == "A M(P Q) N(O)")
        let next = try watcher.beginEdits()
        #expect(try save(next, next.apply(inserting(.string("B"))), watcher) == "A M(P Q) N(O) B")
    }

    @Test("that mount another document show it, and complete their group")
    func mount() throws {
        let watcher = try watcher()
        try scratch.write("New.json", #"["X"]"#)
        let group = try watcher.beginEdits()
        let item = PropertyListDictionary([
            .init(key: "Title", value: .string("L")), .init(key: "Source", value: .string("New.json")),
        ])
        let edited = try #require(try group.apply(inserting(.dictionary(item))))
        #expect(outline(edited.document) == "A M(P) N(O) L(X)")
        #expect(try group.apply(inserting(.string("B"))) == nil)
        #expect(try save(group, edited, watcher) == "A M(P) N(O) L(X)")
        let next = try watcher.beginEdits()
        #expect(try save(next, next.apply(inserting(.string("Y"), "/L")), watcher) == "A M(P) N(O) L(X Y)")
        let last = try watcher.beginEdits()
        #expect(try save(last, last.apply(deleting("/L")), watcher) == "A M(P) N(O)")
    }

    @Test("of a mounted document may mount another one in it")
    func nested() throws {
        let watcher = try watcher()
        try scratch.write("New.json", #"["X"]"#)
        let item = PropertyListDictionary([
            .init(key: "Title", value: .string("L")), .init(key: "Source", value: .string("New.json")),
        ])
        let group = try watcher.beginEdits()
        let edited = try group.apply(inserting(.dictionary(item), "/M"))
        #expect(edited?.document.child(0)?.child(1)?.child(1)?.title(0) == "X")
        #expect(try save(group, edited, watcher) == "A M(P L) N(O)")
        let next = try watcher.beginEdits()
        try save(next, next.apply(inserting(.string("Y"), "/M/L")), watcher)
        let mounted = try PropertyListFile(path: scratch("New.json")).load(replacing: nil)
        #expect(outline(mounted.tree.document) == "X Y")
        let last = try watcher.beginEdits()
        #expect(try save(last, last.apply(deleting("/M/L")), watcher) == "A M(P) N(O)")
        #expect(try String(contentsOfFile: scratch("Part.json"), encoding: .utf8) == #"["P"]"#)
    }

    @Test("report changes of another file during a save")
    func otherEvents() throws {
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        _ = try group.apply(inserting(.string("Q"), "/M"))
        try scratch.write("Other.json", #"["O","foreign"]"#)
        _ = try group.save()
        #expect(watcher.nextReport() == .changed)
    }

    @Test("that would mount a document below itself are refused, and nothing changes")
    func cycle() throws {
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        let item = PropertyListDictionary([
            .init(key: "Title", value: .string("L")), .init(key: "Source", value: .string("Main.json")),
        ])
        #expect(throws: EditRefusal.self) { try group.apply(inserting(.dictionary(item), "/M")) }
        #expect(try save(group, group.apply(inserting(.string("B"))), watcher) == "A M(P) N(O) B")
    }

    @Test("stay in the document if another file changes before an edit of the group is refused")
    func changedBeforeRefusal() throws {
        let watcher = try watcher()
        let main = try text("Main.json")
        let mount = PropertyListValue.dictionary(
            .init([.init(key: "Title", value: .string("L")), .init(key: "Source", value: .string("Main.json"))]))
        let group = try watcher.beginEdits()
        _ = try group.apply(inserting(.string("Q"), "/M"))
        try scratch.write("Other.json", #"["O","foreign"]"#)
        // The refusal composes the document again, with the changed file.
        #expect(throws: EditRefusal.self) { try group.apply(inserting(mount, "/M")) }
        _ = try group.save()
        group.finish()
        #expect(watcher.nextReport() == .changed)
        #expect(outline(try watcher.load(replacing: nil).tree.document) == "A M(P Q) N(O foreign)")
        let next = try watcher.beginEdits()
        #expect(try save(next, next.apply(inserting(.string("R"), "/M")), watcher) == "A M(P Q R) N(O foreign)")
        #expect(try text("Main.json") == main)
    }

    @Test("of a mounted document stay its own after another of the group was refused")
    func refusedBeside() throws {
        let names = (1...20).map { "\"\($0)\"" }.joined(separator: ",")
        try scratch.write("Big.json", "[\(names)]")
        var file = PropertyListFile(path: scratch("Main.json"), pollInterval: .seconds(3_600))
        // Enough for the part and its mounts, but not for the document around them.
        file.interpretation.treeLimits.items = 23
        let watcher = DocumentWatcher(document: file)
        _ = try watcher.load(replacing: nil)
        let main = try text("Main.json")
        let group = try watcher.beginEdits()
        let edited = try group.apply(inserting(.string("Q"), "/M"))
        let mount = PropertyListValue.dictionary(
            .init([.init(key: "Title", value: .string("L")), .init(key: "Source", value: .string("Big.json"))]))
        #expect(throws: EditRefusal.self) { try group.apply(inserting(mount, "/M")) }
        try save(group, edited, watcher)
        #expect(try text("Main.json") == main)
        #expect(try text("Part.json") == #"["P", "Q"]"#)
    }

    @Test("that mount another document in a file that someone else saves meanwhile are tried again")
    func foreignBesideMount() throws {
        try scratch.write("New.json", #"["X"]"#)
        let watcher = try watcher()
        let mount = PropertyListValue.dictionary(
            .init([.init(key: "Title", value: .string("L")), .init(key: "Source", value: .string("New.json"))]))
        for content in [#"["P"]"#, #"["P","F"]"#] {
            let group = try watcher.beginEdits()
            try scratch.write("aside", content)
            try scratch.rename("aside", "Part.json")
            _ = try group.apply(inserting(mount, "/M"))
            #expect(group.hasUnshownChanges)
            do {
                _ = try group.save()
                Issue.record("it was saved")
            } catch {
                guard case .changedMeanwhile = error else { throw error }
            }
            #expect(try text("Part.json") == content)
            _ = watcher.refresh()
            #expect(outline(try watcher.load(replacing: nil).tree.document) == outline(try loaded.tree.document))
        }
        let group = try watcher.beginEdits()
        #expect(try save(group, group.apply(inserting(mount, "/M")), watcher) == "A M(P F L) N(O)")
    }

    @Test("begin with the remains of a killed process removed")
    func remains() throws {
        for name in [".Main.json.drilldown-edit", ".Part.json.drilldown-edit"] { try scratch.write(name, "half") }
        _ = try watcher()
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        #expect(names == ["Main.json", "Other.json", "Part.json"])
    }

    @Test("that are not saved leave everything as it was")
    func abandoned() throws {
        let watcher = try watcher()
        do {
            let group = try watcher.beginEdits()
            _ = try group.apply(deleting("/M"))
        }
        let group = try watcher.beginEdits()
        #expect(try save(group, group.apply(inserting(.string("Q"), "/M")), watcher) == "A M(P Q) N(O)")
    }

    @Test("are refused where a mounted file is read-only, and its document is not")
    func readOnly() throws {
        let watcher = try watcher()
        try scratch.permit(0o444, "Part.json")
        let group = try watcher.beginEdits()
        #expect(throws: EditRefusal.self) { try group.apply(inserting(.string("Q"), "/M")) }
        #expect(try save(group, group.apply(inserting(.string("B"))), watcher) == "A M(P) N(O) B")
    }

    @Test("notice that someone else has saved a mounted file")
    func foreign() throws {
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        _ = try group.apply(inserting(.string("Q"), "/M"))
        try scratch.write("aside", #"["P","foreign"]"#)
        try scratch.rename("aside", "Part.json")
        do {
            _ = try group.save()
            Issue.record("it was saved")
        } catch {
            guard case .changedMeanwhile = error else { throw error }
        }
        #expect(watcher.nextReport() == .changed)
        _ = try watcher.load(replacing: nil)
        let next = try watcher.beginEdits()
        #expect(try save(next, next.apply(inserting(.string("Q"), "/M")), watcher) == "A M(P foreign Q) N(O)")
    }

    @Test("replace the whole document by the bytes that were sent, or in the syntax of the file")
    func replacement() throws {
        let watcher = try watcher()
        let sent = "[ \"Z\",\n {\"Title\": \"M\", \"Source\": \"Part.json\"} ]\n"
        let group = try watcher.beginEdits()
        #expect(try save(group, group.replaceDocument(with: Array(sent.utf8)), watcher) == "Z M(P)")
        #expect(try String(contentsOfFile: scratch("Main.json"), encoding: .utf8) == sent)
        let next = try watcher.beginEdits()
        #expect(try save(next, next.replaceDocument(with: Array(items("X").utf8)), watcher) == "X")
        #expect(try String(contentsOfFile: scratch("Main.json"), encoding: .utf8) == #"[{"Title":"X"}]"#)
    }

    @Test("a document in another syntax becomes what it means in the syntax of the file")
    func replacementByAnotherTree() throws {
        let watcher = try watcher()
        let row = "<dict><key>Note</key><date>2026-01-02T03:04:05Z</date><key>Key</key><string>K</string></dict>"
        let sent = """
            <plist><dict><key>Children</key><array><dict>
            <key>Title</key><string>a</string><key>Children</key><array>\(row)</array>
            </dict></array></dict></plist>
            """
        let group = try watcher.beginEdits()
        #expect(try save(group, group.replaceDocument(with: Array(sent.utf8)), watcher) == "a()")
        let written = #"{"Children":[{"Title":"a","Children":[{"Note":"2026-01-02T03:04:05Z","Key":"K"}]}]}"#
        #expect(try String(contentsOfFile: scratch("Main.json"), encoding: .utf8) == written)
    }

    @Test(
        "refuse a document that a load would refuse",
        arguments: [
            ("[", "Line 1, column 2: "), ("[1]", "Line 1, column 2: "),
            (#"[{"Title":"M","Source":"Part.json","Children":["P"]}]"#, "/M has a Source and its own rows"),
            (
                #"[{"Title":"M","Database":"sqlite:Shop.db","Query":"SELECT 1 AS a","Key":["a"]}]"#,
                "A 'Query' can be written only in the file of the document; leave it as it was."
            ),
            (#"{"PreferenceSpecifiers":[]}"#, "A settings page cannot replace the document"),
            (
                #"[{"Title":"M","Source":"Main.json"}]"#,
                "The document would be refused: a document is mounted below itself"
            ),
        ])
    func refused(_ sent: String, _ words: String) throws {
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        do {
            _ = try group.replaceDocument(with: Array(sent.utf8))
            Issue.record("it was accepted")
        } catch {
            #expect(error.detail.hasPrefix(words))
        }
        #expect(outline(try loaded.tree.document) == "A M(P) N(O)")
    }

    @Test("refuse a document that is too large, as it was sent or in the syntax of the file")
    func tooLarge() throws {
        let limited = Interpretation(maximumBytes: 100)
        func text(_ count: Int) -> [UInt8] { Array("[\"\(String(repeating: "a", count: count - 4))\"]".utf8) }
        func detail(_ bytes: [UInt8], _ watcher: DocumentWatcher) throws -> String {
            let group = try watcher.beginEdits()
            let refusal = try #require(throws: EditRefusal.self) { try group.replaceDocument(with: bytes) }
            return refusal.detail
        }
        let watcher = try watcher(limited)
        #expect(try detail(text(101), watcher) == "The document has 101 bytes and the limit is 100.")
        let group = try watcher.beginEdits()
        try save(group, group.replaceDocument(with: text(100)), watcher)
        _ = try watcher.load(replacing: nil)
        try scratch.write("Main.json", items("A"))
        #expect(try detail(text(50), self.watcher(limited)).hasSuffix(" bytes and the limit is 100."))
    }

    @Test("refuse a document with text that the syntax of the file cannot represent")
    func beyondXML() throws {
        try scratch.write("Main.json", items("A"))
        let watcher = try watcher()
        let group = try watcher.beginEdits()
        let error = try #require(throws: EditRefusal.self) {
            try group.replaceDocument(with: Array(#"["a\u0001"]"#.utf8))
        }
        #expect(
            error.detail
                == "The document is an XML property list, which cannot represent control characters or fractions of a second; leave them out."
        )
    }
}
