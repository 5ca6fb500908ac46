import Foundation
import Glibc
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The order in which a file system writes changes to disk")
struct ChangeOrderTests {
    @Test(
        "is kept by a journal that a thread writes",
        arguments: [("22634\n", true), ("<none>\n", false), ("", false)])
    func journal(_ thread: String, _ isWritten: Bool) {
        #expect(ChangeOrder.isWritten(byThread: Array(thread.utf8)) == isWritten)
    }

    @Test("is not known of what is on no disk")
    func noDisk() {
        var ends: [Int32] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(!ChangeOrder.isKept(byFileSystemOf: ends[0]))
        #expect(!ChangeOrder.isKept(byFileSystemOf: -1))
    }
}

@Suite("The replacement of a file where the order of changes is kept")
struct OrderedExchangeTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", "old")
    }

    /// Replaces `Data.plist`; a step may fail.
    private func save(failing: FileReplacement.Step? = nil) throws -> FileIdentity {
        let original = try DocumentFile.open(path: scratch("Data.plist"), maximumBytes: 1_000)
        var file = try FileReplacement.begin(
            of: scratch("Data.plist"), through: FileReplacement.editPath(of: scratch("Data.plist")), mode: .fixed(0o600)
        ) { $0 == failing ? EIO : nil }
        file.keepsOrder = true
        try file.append("new".utf8.span)
        return try file.commit(replacing: original, SaveWorker()) { nil }
    }

    private var content: String {
        get throws { try String(contentsOfFile: scratch("Data.plist"), encoding: .utf8) }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }
    }

    @Test("leaves the new content and nothing beside it")
    func success() throws {
        #expect(try save() == FileIdentity(path: scratch("Data.plist")))
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
    }

    @Test("leaves the old content if a step fails", arguments: [FileReplacement.Step.sync, .exchange, .syncFolder])
    func failure(_ step: FileReplacement.Step) throws {
        let before = FileIdentity(path: scratch("Data.plist"))
        #expect(throws: SaveError.self) { try save(failing: step) }
        #expect(try content == "old")
        #expect(try names == ["Data.plist"])
        #expect(before?.isSameContent(as: try #require(FileIdentity(path: scratch("Data.plist")))) == true)
    }
}
