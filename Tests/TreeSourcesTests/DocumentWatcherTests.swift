import Foundation
import Levels
import Testing

@testable import TestDocuments
@testable import TestSupport
@testable import TreeSources

@Suite("A watcher of a composed document")
struct DocumentWatcherTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func watcher(_ count: Int = 3) throws -> DocumentWatcher {
        let rows = (0..<count).map { #"{"Title":"T\#($0)","Children":[{"Title":"M","Source":"\#($0).json"}]}"# }
        try scratch.write("Main.json", "[\(rows.joined(separator: ","))]")
        for number in 0..<count { try write(number, "first") }
        return made("Main.json")
    }

    private func made(_ name: String) -> DocumentWatcher {
        let file = PropertyListFile(path: scratch(name), pollInterval: .seconds(3_600))
        let watcher = DocumentWatcher(document: file)
        return watcher
    }

    private func write(_ number: Int, _ title: String) throws {
        try scratch.write("aside", #"["\#(title)"]"#)
        try scratch.rename("aside", "\(number).json")
    }

    /// Takes in a change as the store does: armed again, and then loaded.
    private func change(_ watcher: DocumentWatcher, _ old: LoadedTree) throws -> LoadedTree {
        #expect(watcher.nextReport() == .changed)
        while watcher.advance(at: .now) != nil {}
        return try watcher.load(replacing: old.tree.document)
    }

    private func reads(_ watcher: DocumentWatcher) -> Int { watcher.composer.files.reads }

    private func mount(_ number: Int, _ loaded: LoadedTree) -> Level? {
        loaded.tree.document.child(0)?.child(number)?.child(0)
    }

    @Test("reads only the file that changed, and shares all other levels")
    func oneFile() throws {
        let watcher = try watcher(600)
        let first = try watcher.load(replacing: nil)
        #expect(reads(watcher) == 600)
        #expect(first.fingerprint == watcher.fingerprint)
        try write(7, "second")
        let second = try change(watcher, first)
        #expect(reads(watcher) == 601)
        #expect(mount(7, second)?.title(0) == "second")
        let (old, new) = (first.tree.document.child(0), second.tree.document.child(0))
        #expect((0..<600).filter { old?.child($0) !== new?.child($0) } == [7])
        #expect(second.fingerprint == watcher.fingerprint)
        #expect(second.fingerprint != first.fingerprint)
    }

    @Test("looks only at the file of an event, until it is time to look at all files")
    func otherFiles() throws {
        let watcher = try watcher()
        let first = try watcher.load(replacing: nil)
        // No event comes from a file that is still open for writing.
        let handle = try #require(FileHandle(forWritingAtPath: scratch("2.json")))
        try handle.write(contentsOf: Data(#"["SECOND"]"#.utf8))
        try write(1, "second")
        let second = try change(watcher, first)
        #expect((0..<3).map { mount($0, second)?.title(0) } == ["first", "second", "first"])
        #expect(reads(watcher) == 4)
        #expect(watcher.fingerprint == second.fingerprint)
        #expect(watcher.advance(at: .now + .seconds(7_200)) == .changed)
        let third = try watcher.load(replacing: second.tree.document)
        #expect((0..<3).map { mount($0, third)?.title(0) } == ["first", "second", "SECOND"])
        try handle.close()
    }

    @Test("reads a file that is mounted in several places once")
    func onceRead() throws {
        try scratch.write(
            "Main.json",
            #"[{"Title":"A","Source":"0.json"},{"Title":"B","Source":"./0.json"},{"Title":"C","Source":"l.json"}]"#)
        try write(0, "first")
        try scratch.link("l.json", to: "0.json")
        let watcher = made("Main.json")
        let loaded = try watcher.load(replacing: nil)
        #expect(reads(watcher) == 1)
        #expect((0..<3).map { loaded.tree.document.child(0)?.child($0)?.title(0) } == ["first", "first", "first"])
    }

    @Test("does not read the mounted files again when only the document changed")
    func ownFile() throws {
        let watcher = try watcher()
        let first = try watcher.load(replacing: nil)
        try scratch.write("Main.json", #"[{"Title":"New","Source":"1.json"}]"#)
        let second = try change(watcher, first)
        #expect(second.tree.itemCount == 2)
        #expect(reads(watcher) == 3)
        try write(0, "no longer mounted")
        try write(1, "second")
        #expect(try change(watcher, second).tree.document.child(0)?.child(0)?.title(0) == "second")
        #expect(reads(watcher) == 4)
    }

    @Test("sees a missing file appear, and one disappear")
    func missing() throws {
        let watcher = try watcher()
        try scratch.remove("1.json")
        let first = try watcher.load(replacing: nil)
        #expect(mount(1, first)?.refusal?.hasPrefix("1.json: the file does not exist") == true)
        try write(1, "there")
        let second = try change(watcher, first)
        #expect(mount(1, second)?.title(0) == "there")
        try scratch.remove("1.json")
        #expect(throws: SourceError.self) { try change(watcher, second) }
        #expect(mount(1, try watcher.load(replacing: second.tree.document))?.refusal != nil)
    }

    @Test("goes on with a file that is half saved, until it is settled")
    func halfSaved() throws {
        let watcher = try watcher()
        let first = try watcher.load(replacing: nil)
        try scratch.write("1.json", #"["fir"#)
        #expect(throws: SourceError.self) { try change(watcher, first) }
        try scratch.write("1.json", #"["second"#)
        #expect(throws: SourceError.self) { try change(watcher, first) }
        try scratch.write("1.json", #"["second"]"#)
        let second = try change(watcher, first)
        #expect(mount(1, second)?.title(0) == "second")
        try scratch.write("1.json", "[")
        #expect(throws: SourceError.self) { try change(watcher, second) }
        let settled = try watcher.load(replacing: second.tree.document)
        #expect(mount(1, settled)?.refusal != nil)
        #expect(mount(0, settled)?.title(0) == "first")
    }

    @Test("takes files as they are if a load is asked for")
    func requested() throws {
        let watcher = try watcher()
        let first = try watcher.load(replacing: nil)
        try scratch.remove("1.json")
        #expect(watcher.refresh())
        #expect(mount(1, try watcher.load(replacing: first.tree.document))?.refusal != nil)
    }

    @Test("sees a symbolic link swapped, and refuses it if it then leads out of the folder")
    func swapped() throws {
        try scratch.folder("in")
        try scratch.write("in/Main.json", #"[{"Title":"A","Source":"l.json"}]"#)
        try scratch.write("in/0.json", #"["first"]"#)
        try scratch.write("in/1.json", #"["second"]"#)
        try scratch.write("secret.json", #"["secret"]"#)
        try scratch.link("in/l.json", to: "0.json")
        let watcher = made("in/Main.json")
        var loaded = try watcher.load(replacing: nil)
        func swap(to target: String) throws {
            try scratch.link("in/aside", to: target)
            try scratch.rename("in/aside", "in/l.json")
        }
        try swap(to: "1.json")
        loaded = try change(watcher, loaded)
        #expect(loaded.tree.document.child(0)?.child(0)?.title(0) == "second")
        try swap(to: "../secret.json")
        #expect(throws: SourceError.self) { try change(watcher, loaded) }
        loaded = try watcher.load(replacing: loaded.tree.document)
        #expect(
            loaded.tree.document.child(0)?.child(0)?.refusal
                == "l.json: the path leads out of the document's folder; move the file into that folder.")
    }

    @Test("keeps the tree when a change makes a circle, and recovers")
    func cycle() throws {
        let watcher = try watcher()
        let first = try watcher.load(replacing: nil)
        try scratch.write("1.json", #"[{"Title":"T","Source":"Main.json"}]"#)
        #expect(throws: SourceError.self) { try change(watcher, first) }
        #expect(throws: SourceError.self) { try watcher.load(replacing: first.tree.document) }
        try write(1, "second")
        #expect(mount(1, try change(watcher, first))?.title(0) == "second")
    }

    @Test("says of each item whether its own file can be written")
    func savability() throws {
        let watcher = try watcher()
        try scratch.permit(0o444, "1.json")
        _ = try watcher.load(replacing: nil)
        func savability(_ path: String) throws -> Savability {
            watcher.savability(at: try ItemPath(Array(path.utf8).span))
        }
        #expect(try savability("/T1/M/first") == .nothing(.readOnlyFile))
        #expect(try savability("/T0/M/first") == .items)
        #expect(try savability("/T1/M") == .items)
        #expect(try savability("/") == .items)
    }

    @Test("equals a fresh load after any edits", arguments: RandomRounds.first(8 as UInt64))
    func randomEdits(seed: UInt64) throws {
        var generator = Dice(state: seed)
        func document(_ number: Int) -> String {
            let rows = (0..<Int.random(in: 1...3, using: &generator)).map { row in
                Bool.random(using: &generator) && number < 5
                    ? #"{"Title":"R\#(row)","Source":"\#(Int.random(in: number + 1...6, using: &generator)).json"}"#
                    : "\"x\(Int.random(in: 0...9, using: &generator))\""
            }
            return "[\(rows.joined(separator: ","))]"
        }
        for number in 0...5 { try scratch.write("\(number).json", document(number)) }
        let watcher = made("0.json")
        var loaded = try watcher.load(replacing: nil)
        for _ in 0..<20 {
            let number = Int.random(in: 0...5, using: &generator)
            try scratch.write("\(number).json", document(number))
            _ = watcher.advance(at: .now)
            #expect(watcher.refresh())
            loaded = try watcher.load(replacing: loaded.tree.document)
            let fresh = try PropertyListFile(path: scratch("0.json")).load(replacing: nil)
            #expect(loaded.tree.document.hash == fresh.tree.document.hash)
            #expect(loaded.warnings == fresh.warnings)
        }
    }
}

/// Numbers that follow from a seed (SplitMix64).
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
