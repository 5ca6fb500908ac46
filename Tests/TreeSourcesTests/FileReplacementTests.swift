import Files
import Foundation
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The replacement of a file")
struct FileReplacementTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", "old")
    }

    /// Replaces `Data.plist` in two pieces; one step may fail.
    private func replace(
        _ name: String = "Data.plist", mode: mode_t = 0o600, failing: FileReplacement.Step? = nil
    ) throws(FileReplacementError) {
        var file = try FileReplacement.begin(of: scratch(name), through: scratch(name + ".new"), mode: mode) {
            step, _ in
            step == failing ? ENOSPC : nil
        }
        try file.append("ne".utf8.span)
        try file.append("w".utf8.span)
        _ = try file.commit()
    }

    private var content: String {
        get throws { try String(contentsOfFile: scratch("Data.plist"), encoding: .utf8) }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }
    }

    private func mode(_ name: String = "Data.plist") throws -> UInt32 {
        try #require(FileIdentity(path: scratch(name))).mode & 0o7777
    }

    @Test("leaves the new content, and nothing beside it")
    func success() throws {
        try replace()
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
    }

    @Test("returns the state of the new file")
    func state() throws {
        var file = try FileReplacement.begin(
            of: scratch("Data.plist"), through: scratch("Aside"), mode: 0o644)
        try file.append("newer".utf8.span)
        let state = try file.commit()
        let found = try #require(FileIdentity(path: scratch("Data.plist")))
        #expect(state == found)
        #expect(state.size == 5)
    }

    @Test("leaves the old content until it is committed, and for good if it never is")
    func abandoned() throws {
        do {
            var file = try FileReplacement.begin(
                of: scratch("Data.plist"), through: scratch("Aside"), mode: 0o600)
            try file.append("new".utf8.span)
            #expect(try content == "old")
            #expect(try names == ["Aside", "Data.plist"])
        }
        #expect(try content == "old")
        #expect(try names == ["Data.plist"])
    }

    @Test(
        "that fails leaves the old content and nothing beside it, and tells what failed and where",
        arguments: [
            (FileReplacement.Step.create, "~.new cannot be created: No space left on device"),
            (.setMode, "the permissions of ~.new cannot be set: No space left on device"),
            (.write, "~.new cannot be written: No space left on device"),
            (.sync, "~.new cannot be written to disk: No space left on device"),
            (.rename, "~ cannot be replaced: No space left on device"),
        ])
    func failure(_ step: FileReplacement.Step, _ sentence: String) throws {
        do {
            try replace(failing: step)
            Issue.record("it did not fail")
        } catch {
            #expect(error.description.replacing(scratch("Data.plist"), with: "~") == sentence)
            #expect(error.code == ENOSPC)
            #expect(!error.isUnknown)
        }
        #expect(try content == "old")
        #expect(try names == ["Data.plist"])
    }

    @Test("whose folder cannot be synced reports that the outcome is not known")
    func folderFailure() throws {
        do {
            try replace(failing: .syncFolder)
            Issue.record("it did not fail")
        } catch {
            #expect(
                error.description.replacing(scratch(""), with: "~")
                    == "the folder ~ cannot be written to disk: No space left on device; it is not known whether the new content outlasts a power failure"
            )
            #expect(error.isUnknown)
        }
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
    }

    @Test("is refused by a folder that does not exist, and by a folder in its place")
    func realFailures() throws {
        #expect(throws: FileReplacementError(step: .create, code: ENOENT, path: scratch("nowhere/Data.plist.new"))) {
            try replace("nowhere/Data.plist")
        }
        try scratch.folder("Folder")
        #expect(throws: FileReplacementError(step: .rename, code: EISDIR, path: scratch("Folder"))) {
            try replace("Folder")
        }
        #expect(try names == ["Data.plist", "Folder"])
    }

    @Test("gives the new file its own permissions")
    func permissions() throws {
        try scratch.permit(0o640, "Data.plist")
        try replace(mode: 0o600)
        #expect(try mode() == 0o600)
        try replace("New.plist", mode: 0o644)
        #expect(try mode("New.plist") == 0o644)
    }

    @Test("takes over the remains of a process that was killed")
    func remains() throws {
        try scratch.write("Data.plist.new", "half of a longer document")
        try replace()
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
    }

    @Test("is refused while another one of the same file is in progress")
    func twice() throws {
        let aside = scratch("Data.plist.new")
        var first = try FileReplacement.begin(of: scratch("Data.plist"), through: aside, mode: 0o600)
        try first.append("first".utf8.span)
        #expect(throws: FileReplacementError(step: .create, code: EWOULDBLOCK, path: aside)) { try replace() }
        _ = try first.commit()
        #expect(try content == "first")
        try replace()
        #expect(try content == "new")
    }
}
