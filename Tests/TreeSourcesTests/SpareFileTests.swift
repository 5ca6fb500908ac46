import Foundation
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The file that a save leaves to be written again")
struct SpareFileTests {
    private let scratch: ScratchFolder
    private let spares = SpareFiles(leastSaves: 0)

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", "old")
    }

    private var aside: String { FileReplacement.editPath(of: scratch("Data.plist")) }

    /// Replaces `Data.plist`.
    private func save(
        _ text: String, keeping spares: SpareFiles? = nil, fault: @escaping FileReplacement.Fault = { _ in nil }
    ) throws {
        let spares = spares ?? self.spares
        let original = try DocumentFile.open(path: scratch("Data.plist"), maximumBytes: 1 << 20)
        var file = try FileReplacement.begin(
            of: scratch("Data.plist"), through: aside, mode: .fixed(0o600), spare: spares.beginSave(through: aside),
            fault: fault)
        try file.append(text.utf8.span)
        _ = try file.commit(replacing: original, keeping: spares)
    }

    private func text(_ name: String = "Data.plist") throws -> String {
        try String(contentsOfFile: scratch(name), encoding: .utf8)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }
    }

    private func inode(_ path: String) -> UInt64? { FileIdentity(named: path)?.inode }

    @Test("takes turns with the document's file, whatever their lengths")
    func turns() throws {
        try scratch.permit(0o640, "Data.plist")
        let old = inode(scratch("Data.plist"))
        try save("a longer text")
        let new = inode(scratch("Data.plist"))
        #expect(inode(aside) == old)
        for (number, content) in ["short", "x", "a much longer text than all before"].enumerated() {
            try save(content)
            #expect(try text() == content)
            #expect(inode(scratch("Data.plist")) == (number.isMultiple(of: 2) ? old : new))
            #expect(inode(aside) == (number.isMultiple(of: 2) ? new : old))
            #expect(FileIdentity(path: scratch("Data.plist")).map { $0.mode & 0o7777 } == 0o640)
        }
        spares.removeAll()
        #expect(try names == ["Data.plist"])
    }

    @Test("is not written to while somebody reads it, who sees the old content to its end")
    func reader() throws {
        let reader = try #require(FileHandle(forReadingAtPath: scratch("Data.plist")))
        try save("first")
        let spare = inode(aside)
        try save("second")
        #expect(try reader.readToEnd() == Data("old".utf8))
        #expect(try text() == "second")
        #expect(inode(scratch("Data.plist")) != spare)
    }

    @Test("is not written to if it has another name, or is another file by now")
    func otherNames() throws {
        try save("first")
        try FileManager.default.linkItem(atPath: aside, toPath: scratch("Kept"))
        try save("second")
        #expect(try text("Kept") == "old")
        try scratch.rename("Kept", URL(fileURLWithPath: aside).lastPathComponent)
        try save("third")
        #expect(try text() == "third")
    }

    @Test("lets those who open it under its hidden name wait until the document is saved")
    func opening() throws {
        try save("first")
        let state = try #require(spares.beginSave(through: aside))
        let file = try #require(FileReplacement.reopen(aside, state))
        let opened = unsafe open(aside, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        #expect(opened == -1 && errno == EWOULDBLOCK)
        _ = close(file)
    }

    @Test(
        "is removed if a save fails, which leaves the document as it is",
        arguments: [FileReplacement.Step.write, .sync, .exchange, .syncFolder])
    func failure(_ failing: FileReplacement.Step) throws {
        try save("first")
        #expect(throws: (any Error).self) { try save("second") { $0 == failing ? EIO : nil } }
        #expect(try text() == "first")
        #expect(try names == ["Data.plist"])
    }

    @Test("is kept only after many saves in succession, and until a moment after the last")
    func succession() throws {
        let spares = SpareFiles(leastSaves: 3)
        for number in 0..<3 {
            try save("save \(number)", keeping: spares)
            #expect(try names == ["Data.plist"])
        }
        try save("save 3", keeping: spares)
        let removal = try #require(spares.nextRemoval)
        spares.removeIdle(at: removal - .milliseconds(1))
        #expect(try names == [".Data.plist.drilldown-edit", "Data.plist"])
        spares.removeIdle(at: removal)
        #expect(try names == ["Data.plist"])
        #expect(spares.nextRemoval == nil)
    }

    @Test("that is another one by now is not removed")
    func foreign() throws {
        try save("first")
        try scratch.write("other", "foreign")
        try scratch.rename("other", URL(fileURLWithPath: aside).lastPathComponent)
        spares.removeAll()
        #expect(try text(URL(fileURLWithPath: aside).lastPathComponent) == "foreign")
    }

    @Test("is not kept if it is large")
    func large() throws {
        try scratch.write("Data.plist", String(repeating: "x", count: SpareFiles.mostBytes + 1))
        try save("first")
        #expect(try names == ["Data.plist"])
    }
}
