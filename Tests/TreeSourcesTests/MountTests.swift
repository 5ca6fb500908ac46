import Foundation
import Levels
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("Mounted documents")
struct MountTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.folder("in/sub/deeper")
    }

    private func load(_ name: String = "in/Main.plist", names: StructuralNames = .init()) throws -> LoadedTree {
        try PropertyListFile(path: scratch(name), interpretation: Interpretation(names: names)).load(replacing: nil)
    }

    /// Writes a document whose first level has an item for each path, titled by it.
    private func writeMain(_ paths: String...) throws {
        let rows = paths.map { ["Title": $0, "Source": $0] }
        try scratch.write("in/Main.plist", try JSONSerialization.data(withJSONObject: ["Rows": rows]))
    }

    /// The rows below each row of the first level, or the reason why they are missing.
    private func shown(_ loaded: LoadedTree) throws -> [String] {
        let level = try #require(loaded.tree.document.child(0))
        return level.rowNumbers.map { row in
            let below = level.child(row)
            return below?.refusal ?? (0..<(below?.count ?? 0)).map { below?.title($0) ?? "" }.joined(separator: " ")
        }
    }

    private func refusal(_ name: String) -> String? {
        do {
            _ = try load(name)
            return nil
        } catch {
            return "\(error)".replacing(scratch.path + "/", with: "")
        }
    }

    @Test("that are missing are compared with other names as long as a reader would read of it")
    func manyMissing() throws {
        var rows: [[String: Any]] = (0..<150).map { ["Title": "a", "Source": "part\($0).plist"] }
        rows.append(["Title": "b", "Childern": ["c"]])
        try scratch.write("in/Main.plist", try JSONSerialization.data(withJSONObject: ["Rows": rows]))
        try scratch.write("in/part.plist", items("A"))
        let loaded = try load()
        let missing = try shown(loaded).dropLast()
        #expect(missing.count == 150)
        // The document's own two warnings, of a name and of equal titles, are among the hundred.
        #expect(loaded.warnings.count == 100 && loaded.omittedWarnings == 52)
        #expect(
            missing.prefix(20).allSatisfy { $0.hasSuffix("the file does not exist. Did you mean 'part.plist'?") })
        #expect(
            missing.dropFirst(20).allSatisfy {
                $0.hasSuffix("the file does not exist; name a file that exists in the document's folder.")
            })
    }

    @Test("are put in place, each by the folder of the document that mounts it")
    func nested() throws {
        try writeMain("sub/a.json", "./sub/../sub/a.json", "b.plist")
        try scratch.write("in/sub/a.json", #"["one",{"Title":"Two","Source":"deeper/c.json"}]"#)
        try scratch.write("in/sub/deeper/c.json", #"["below"]"#)
        try scratch.write("in/b.plist", items("B"))
        let loaded = try load()
        #expect(try shown(loaded) == ["one Two", "one Two", "B"])
        let level = try #require(loaded.tree.document.child(0))
        #expect(level.child(0) === level.child(1))
        #expect(level.child(0)?.child(1)?.title(0) == "below")
        #expect(loaded.warnings == [])
        #expect(loaded.tree.itemCount == 10)
    }

    @Test(
        "of the shape auto have items, or only fields",
        arguments: [(#"["a"]"#, "a"), (#"{"n":1}"#, "")])
    func auto(text: String, shown: String) throws {
        try writeMain("a.json")
        try scratch.write("in/a.json", text)
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let main = PropertyListFile(path: scratch("in/Main.plist"), interpretation: interpretation)
        #expect(try self.shown(main.load(replacing: nil)) == [shown])
    }

    @Test("are found beside a document whose name begins with a combining character")
    func combiningName() throws {
        try scratch.write("in/\u{301}.json", #"[{"Title":"A","Source":"sub/\#u{301}.json"}]"#)
        try scratch.write("in/sub/\u{301}.json", #"[{"Title":"x","Source":"b.json"}]"#)
        try scratch.write("in/sub/b.json", #"["y"]"#)
        let loaded = try load("in/\u{301}.json")
        #expect(try shown(loaded) == ["x"])
        #expect(loaded.warnings == [])
        #expect(loaded.tree.itemCount == 3)
    }

    @Test(
        "are never outside of the folder",
        arguments: [
            ("../secret.plist", "the path leads out of the document's folder; move the file into that folder."),
            ("sub/../../secret.plist", "the path leads out of the document's folder; move the file into that folder."),
            ("link.plist", "the path leads out of the document's folder; move the file into that folder."),
            ("linked/secret.plist", "the path leads out of the document's folder; move the file into that folder."),
            ("chain.plist", "the path leads out of the document's folder; move the file into that folder."),
            ("/etc/hostname", "the path is absolute; name a file by its path from the document's folder."),
            ("", "this is not a path; name a file in the document's folder."),
            ("a\u{0}b", "this is not a path; name a file in the document's folder."),
            ("%2e%2e/secret.plist", "the file does not exist; name a file that exists in the document's folder."),
            ("sub", "it is not a file; name a property list file."),
            ("linked/secre.plist", "the file does not exist; name a file that exists in the document's folder."),
            ("linked/none/secret.plist", "the file does not exist; name a file that exists in the document's folder."),
            (".", "it is not a file; name a property list file."),
        ])
    func outside(path: String, reason: String) throws {
        try scratch.write("secret.plist", items("secret"))
        try scratch.write("nonesuch", "")
        try scratch.link("in/link.plist", to: "../secret.plist")
        try scratch.link("in/chain.plist", to: "sub/chain.plist")
        try scratch.link("in/sub/chain.plist", to: "../../secret.plist")
        try scratch.link("in/linked", to: "..")
        try writeMain(path)
        let prefix = path.isEmpty ? "" : path.replacing("\u{0}", with: #"\u{0}"#)
        #expect(try shown(load()) == ["\(prefix): \(reason)"])
    }

    @Test("follow symbolic links that end in the folder")
    func links() throws {
        try scratch.write("in/sub/a.plist", items("A"))
        try scratch.link("in/a.plist", to: "sub/a.plist")
        try scratch.link("in/b.plist", to: scratch("in/a.plist"))
        try writeMain("a.plist", "b.plist")
        #expect(try shown(load()) == ["A", "A"])
    }

    @Test("that cannot be read say why on their row, and are a warning where the fault is")
    func broken() throws {
        try writeMain("broken.json", "CASE.plist", "mising.plist", "empty.plist", "good.plist")
        try scratch.write("in/broken.json", "[\n\"x\"\n\"y\"]")
        try scratch.write("in/case.plist", items("A"))
        try scratch.write("in/missing.plist", items("A"))
        try scratch.write("in/empty.plist", "")
        try scratch.write("in/good.plist", items("G"))
        let loaded = try load()
        #expect(
            try shown(loaded) == [
                "broken.json:3:1: in /: a ',' is missing in an array; an element is followed by ',' or ']'.",
                "CASE.plist: the file does not exist, but 'case.plist' does, whose name differs only in case.",
                "mising.plist: the file does not exist. Did you mean 'missing.plist'?",
                "empty.plist: the file is empty; it must contain a property list.", "G",
            ])
        let warnings = loaded.warnings.map { $0.description.replacing(scratch.path + "/in/", with: "") }
        #expect(
            warnings == [
                "broken.json:3:1: in /: a ',' is missing in an array; an element is followed by ',' or ']'.",
                "Main.plist:1:57: in /CASE.plist: 'CASE.plist' cannot be mounted: the file does not exist, but 'case.plist' does, whose name differs only in case.",
                "Main.plist:1:102: in /mising.plist: 'mising.plist' cannot be mounted: the file does not exist. Did you mean 'missing.plist'?",
                "Main.plist:1:151: in /empty.plist: 'empty.plist' cannot be mounted: the file is empty; it must contain a property list.",
            ])
    }

    @Test("have warnings of their own, with their own file and position")
    func warnings() throws {
        try writeMain("sub/a.json")
        try scratch.write("in/sub/a.json", #"[{"Title":"A","Childern":[]}]"#)
        let warnings = try load().warnings.map { $0.description.replacing(scratch.path + "/", with: "") }
        #expect(
            warnings == [
                "in/sub/a.json:1:15: in /A: 'Childern' is kept as a field; did you mean 'Children'?"
            ])
    }

    @Test("that mount each other refuse the document, with the chain")
    func cycles() throws {
        func write(_ name: String, _ source: String) throws {
            try scratch.write("in/\(name)", #"[{"Title":"T","Source":"\#(source)"}]"#)
        }
        try write("self.json", "./sub/../self.json")
        try write("a.json", "sub/b.json")
        try write("sub/b.json", "c.json")
        try write("sub/c.json", "d.json")
        try scratch.link("in/sub/d.json", to: "b.json")
        try write("e.json", "f.json")
        try scratch.link("in/f.json", to: "e.json")
        #expect(
            refusal("in/self.json")
                == "in/self.json:1:2: in /T: a document is mounted below itself: 'in/self.json' mounts 'in/self.json'; remove one Source."
        )
        #expect(
            refusal("in/a.json")
                == "in/sub/c.json:1:2: in /T: a document is mounted below itself: 'in/sub/b.json' mounts 'in/sub/c.json' mounts 'in/sub/b.json'; remove one Source."
        )
        #expect(
            refusal("in/e.json")
                == "in/e.json:1:2: in /T: a document is mounted below itself: 'in/e.json' mounts 'in/e.json'; remove one Source."
        )
    }

    @Test("have the same mapped names, and none in a document of any shape")
    func names() throws {
        try scratch.write("in/Main.plist", #"{"entries":[{"name":"A","Source":"a.json"}]}"#)
        try scratch.write("in/a.json", #"{"name":"Root A","entries":[{"name":"x"}]}"#)
        let names = try StructuralNames(mapping: "title=name,children=entries")
        #expect(try shown(load(names: names)) == ["x"])
        let any = try PropertyListFile(path: scratch("in/Main.plist"), interpretation: Interpretation(shape: .any))
            .load(replacing: nil)
        #expect(any.composition == nil)
    }

    @Test("may be in a long chain, but not deeper than the limit")
    func chain() throws {
        for number in 0..<600 {
            try scratch.write("in/\(number).json", #"[{"Title":"T","Source":"\#(number + 1).json"}]"#)
        }
        try scratch.write("in/600.json", #"["end"]"#)
        #expect(refusal("in/0.json")?.hasSuffix("items nest deeper than 512 levels; flatten the tree.") == true)
        #expect(try load("in/200.json").tree.itemCount == 401)
    }

    @Test("are not followed from a document without a folder")
    func withoutFolder() throws {
        let folder = try ScratchFolder()
        let file = try DocumentFile.open(
            path: folder.write("Data.json", #"[{"Title":"A","Source":"a.json"}]"#), maximumBytes: 1_000)
        let loaded = try Interpretation().loadWithoutParts(file, named: "<stdin>", pool: nil)
        #expect(
            try shown(loaded) == [
                "a.json: only a document that is read from a file can refer to other files; this one has no folder."
            ])
        #expect(
            loaded.warnings.map(\.description) == [
                "<stdin>:1:2: in /A: 'a.json' cannot be mounted: only a document that is read from a file can refer to other files; this one has no folder."
            ])
    }
}
