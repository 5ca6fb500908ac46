import Levels
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The store of a composed source")
struct ComposedStoreTests {
    private let scratch: ScratchFolder
    private let journal = Journal()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Main", mounts("a", "b"))
        try scratch.write("a", items("A1", "A2"))
        try scratch.write("b", items("B1"))
    }

    /// A document that mounts files.
    private func mounts(_ names: String...) -> String {
        "[\(names.map { #"{"Title":"\#($0)","Source":"\#($0)"}"# }.joined(separator: ","))]"
    }

    @Test("publishes an equal tree if a part was written anew, because edits begin with the part's content")
    func sources() throws {
        try scratch.write("a", #"{"Title":"old","Rows":["A1"]}"#)
        let source = PropertyListFile(path: scratch("Main"), pollInterval: .seconds(3_600))
        let store = try TreeStore(source: source) { [journal] in journal.note($0) }
        let before = store.current
        try scratch.write("aside", #"{"Title":"new","Rows":["A1"]}"#)
        try scratch.rename("aside", "a")
        #expect(journal.waits { store.current !== before })
        #expect(store.current.document.hash == before.document.hash)
    }

    @Test("publishes the changes of all its parts, including new ones, and ignores removed ones")
    func parts() throws {
        let source = PropertyListFile(path: scratch("Main"), pollInterval: .seconds(3_600))
        let store = try TreeStore(source: source) { [journal] in journal.note($0) }
        func titles() -> [String] {
            guard let level = store.current.document.child(0) else { return [] }
            return level.rowNumbers.flatMap { row in level.child(row).map { $0.rowNumbers.map($0.title) } ?? [] }
        }
        #expect(titles() == ["A1", "A2", "B1"])
        try scratch.write("b", items("B1", "B2"))
        #expect(journal.waits { titles() == ["A1", "A2", "B1", "B2"] })
        try scratch.write("c", items("C1"))
        try scratch.write("Main", mounts("c", "a"))
        #expect(journal.waits { titles() == ["C1", "A1", "A2"] })
        try scratch.write("b", items("unseen"))
        try scratch.write("c", items("C2"))
        #expect(journal.waits { titles() == ["C2", "A1", "A2"] })
        try scratch.remove("a")
        #expect(journal.waits { titles() == ["C2"] })
        try scratch.write("a", items("A3"))
        #expect(journal.waits { titles() == ["C2", "A3"] && store.status == .ok })
    }
}
