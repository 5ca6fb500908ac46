import Foundation
import Levels
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The edits that can be saved")
struct SavabilityTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.folder("data")
        try scratch.write("data/Data.plist", items("A"))
    }

    /// The sentence of a refusal; nil if items can be saved.
    private func refusal(_ name: String = "data/Data.plist", shape: Interpretation.Shape = .items) -> String? {
        switch PropertyListFile(path: scratch(name), interpretation: Interpretation(shape: shape)).savability {
        case .items, .controls: nil
        case .nothing(let refusal): refusal.description
        }
    }

    @Test("to a file is every edit, also through a link")
    func file() throws {
        try scratch.link("Link.plist", to: "data/Data.plist")
        #expect(refusal() == nil)
        #expect(refusal("Link.plist") == nil)
    }

    @Test("to a file that nobody may write to is nothing, even for root")
    func readOnlyFile() throws {
        try scratch.permit(0o444, "data/Data.plist")
        try scratch.link("Link.plist", to: "data/Data.plist")
        let sentence = "the document's file is read-only; give the server permission to write to it."
        #expect(refusal() == sentence)
        #expect(refusal("Link.plist") == sentence)
    }

    @Test("to a file that no path leads to is nothing, although it may exist")
    func unreachable() throws {
        try scratch.link("Loop.plist", to: "Loop.plist")
        #expect(
            refusal("Loop.plist")
                == "the document's file cannot be reached; give the server permission to search its folders.")
    }

    @Test("in the shape any is nothing")
    func otherShapes() {
        #expect(
            refusal(shape: .any)
                == "a document of the shape 'any' cannot be edited; serve it with --shape natural, or without --shape."
        )
        #expect(refusal(shape: .natural) == nil)
        #expect(refusal(shape: .auto) == nil)
    }

    @Test("to a file that this process may not write to is nothing, and the cause is the system's")
    func denials() {
        #expect(
            [EACCES, EROFS, EPERM].map { FileAccess.refusal(denied: $0, by: .readOnlyFolder).description } == [
                "the folder of the document's file is read-only, and saving creates a new file there; give the server permission to write to it.",
                "the file system of the document is mounted read-only; mount it for writing.",
                "the folder of the document's file is read-only, and saving creates a new file there; give the server permission to write to it.",
            ])
    }

    @Test("to a remote document, or to a source that cannot be edited here, is nothing")
    func elsewhere() throws {
        let watcher = RemoteDocument(address: try RemoteAddress("http://127.0.0.1:1/")).makeWatcher()
        #expect(
            watcher.savability(at: try ItemPath("/A".utf8.span))
                == .nothing(SaveRefusal("the document is fetched from another server; edit it there")))
        let input = StandardInput(interpretation: Interpretation(maximumBytes: 1)).makeWatcher()
        #expect(
            input.savability(at: .root)
                == .nothing(SaveRefusal("the document cannot be edited here; edit it in its own place")))
    }
}
