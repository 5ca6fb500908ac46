import Files
import Foundation
import Levels
import Locking
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("The replacement of a file that others save, too")
struct FileExchangeTests {
    let scratch: ScratchFolder
    private let log = Guarded<[FileReplacement.Step]>([])

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", "old")
    }

    /// Replaces `Data.plist`; something may happen before each step, which then may fail.
    func save(
        _ name: String = "Data.plist", check: (@Sendable () -> SaveError?)? = nil,
        before: @escaping @Sendable (FileReplacement.Step) throws -> Int32? = { _ in nil }
    ) throws -> FileIdentity {
        let original = try DocumentFile.open(path: scratch(name), maximumBytes: 1_000)
        var file = try FileReplacement.begin(
            of: scratch(name), through: FileReplacement.editPath(of: scratch(name)), mode: 0o600
        ) { [log] step, _ in
            log.withLock { $0.append(step) }
            do {
                return try before(step)
            } catch {
                Issue.record(error)
                return nil
            }
        }
        try file.append("new".utf8.span)
        return try file.commit(replacing: original, worker: SaveWorker(), check: check)
    }

    /// Saves as most editors do.
    private func saveAside(_ text: String) throws {
        try scratch.write("aside", text)
        try scratch.rename("aside", "Data.plist")
    }

    var content: String {
        get throws { try String(contentsOfFile: scratch("Data.plist"), encoding: .utf8) }
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }
    }

    /// How a save ended, in words.
    func outcome(_ before: @escaping @Sendable (FileReplacement.Step) throws -> Int32? = { _ in nil }) -> String {
        outcome(check: nil, before: before)
    }

    private func outcome(
        check: (@Sendable () -> SaveError?)?,
        before: @escaping @Sendable (FileReplacement.Step) throws -> Int32? = { _ in nil }
    ) -> String {
        do {
            _ = try save(check: check, before: before)
            return "saved"
        } catch let error as SaveError {
            return switch error {
            case .changedMeanwhile: "changed meanwhile"
            case .noSpace(let reason), .failed(let reason), .unknown(let reason), .busy(let reason), .away(let reason):
                reason.replacing(scratch(""), with: "")
            case .unwritable(let refusal): refusal.description
            case .outOfMemory: "out of memory"
            case .refused(_, let refusal): refusal.detail
            }
        } catch {
            return "\(error)".replacing(scratch(""), with: "")
        }
    }

    @Test("syncs the file and the folder once each, and leaves nothing beside it")
    func success() throws {
        let state = try save()
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
        #expect(state == FileIdentity(path: scratch("Data.plist")))
        #expect(
            log.withLock { $0 } == [
                .create, .setMode, .write, .setAttributes, .sync, .exchange, .verify, .syncFolder, .remove,
            ])
    }

    @Test("checks the new content while that is written to disk, and waits for both")
    func check() throws {
        let (isSyncing, isChecked) = (Semaphore(), Semaphore())
        let result = outcome(
            check: {
                isSyncing.wait()
                isChecked.signal()
                return nil
            },
            before: { step in
                if step == .sync {
                    isSyncing.signal()
                    isChecked.wait()
                }
                return nil
            })
        #expect(result == "saved")
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
    }

    @Test("leaves the old content if the check refuses the new one while that is written to disk")
    func refusedCheck() throws {
        let (isSyncing, isChecked) = (Semaphore(), Semaphore())
        let before = FileIdentity(path: scratch("Data.plist"))
        let result = outcome(
            check: {
                isSyncing.wait()
                defer { isChecked.signal() }
                return .failed("the check refuses it")
            },
            before: { step in
                if step == .sync {
                    isSyncing.signal()
                    isChecked.wait()
                }
                return nil
            })
        #expect(result == "the check refuses it")
        #expect(log.withLock { $0 } == [.create, .setMode, .write, .setAttributes, .sync])
        #expect(try content == "old")
        #expect(try names == ["Data.plist"])
        #expect(FileIdentity(path: scratch("Data.plist")) == before)
    }

    @Test("leaves the old content if it cannot be written to disk while it is checked", arguments: [false, true])
    func failedSyncBesideCheck(_ isRefused: Bool) throws {
        let (isChecking, hasFailed) = (Semaphore(), Semaphore())
        let isChecked = Guarded(false)
        let before = FileIdentity(path: scratch("Data.plist"))
        let result = outcome(
            check: {
                isChecking.signal()
                hasFailed.wait()
                isChecked.withLock { $0 = true }
                return isRefused ? .failed("the check refuses it") : nil
            },
            before: { step in
                guard step == .sync else { return nil }
                isChecking.wait()
                hasFailed.signal()
                return EIO
            })
        #expect(result == ".Data.plist.drilldown-edit cannot be written to disk: Input/output error")
        // Nothing of the save goes on after it.
        #expect(isChecked.withLock { $0 })
        #expect(try content == "old")
        #expect(try names == ["Data.plist"])
        #expect(FileIdentity(path: scratch("Data.plist")) == before)
    }

    @Test("finds that another program writes into the old file during a check that refuses")
    func foreignWriteBesideCheck() throws {
        let result = outcome(check: {
            do { try Data("foreign".utf8).write(to: URL(fileURLWithPath: self.scratch("Data.plist"))) } catch {
                Issue.record(error)
            }
            return .failed("the check refuses it")
        })
        #expect(result == "changed meanwhile")
        #expect(try content == "foreign")
        #expect(try names == ["Data.plist"])
    }

    @Test("with another program's write before its end is not mistaken for the saved file")
    func writtenInto() throws {
        let state = try save(check: nil) { [scratch] step in
            if step == .syncFolder { try Data("newer".utf8).write(to: URL(fileURLWithPath: scratch("Data.plist"))) }
            return nil
        }
        #expect(try content == "newer")
        let found = try #require(FileIdentity(path: scratch("Data.plist")))
        #expect(!found.isSameContent(as: state))
        #expect(found.inode == state.inode)
    }

    @Test(
        "that fails leaves the old content and nothing beside it",
        arguments: [
            (FileReplacement.Step.create, EACCES, ".Data.plist.drilldown-edit cannot be created: Permission denied"),
            (.write, ENOSPC, ".Data.plist.drilldown-edit cannot be written: No space left on device"),
            (
                .setAttributes, ENOSPC,
                "the owner, permissions and attributes of .Data.plist.drilldown-edit cannot be set: No space left on device"
            ),
            (.sync, EIO, ".Data.plist.drilldown-edit cannot be written to disk: Input/output error"),
            (.exchange, EIO, "Data.plist cannot be replaced: Input/output error"),
            (
                .exchange, EPERM,
                "the document's file is read-only; give the server permission to write to it."
            ),
            (.exchange, EROFS, "the file system of the document is mounted read-only; mount it for writing."),
            (.syncFolder, EIO, "the folder  cannot be written to disk: Input/output error"),
            (.syncFolder, ENOSPC, "the folder  cannot be written to disk: No space left on device"),
        ])
    func failure(_ step: FileReplacement.Step, _ code: Int32, _ words: String) throws {
        let before = FileIdentity(path: scratch("Data.plist"))
        #expect(outcome { $0 == step ? code : nil } == words)
        #expect(try content == "old")
        #expect(try names == ["Data.plist"])
        #expect(FileIdentity(path: scratch("Data.plist"))?.inode == before?.inode)
        #expect(outcome() == "saved")
        #expect(try content == "new")
    }

    @Test(
        "finds a save by another program at any moment before it, and leaves that",
        arguments: [FileReplacement.Step.create, .write, .setAttributes, .sync, .exchange])
    func foreignSave(_ step: FileReplacement.Step) throws {
        #expect(
            outcome {
                if $0 == step { try self.saveAside("foreign") }
                return nil
            } == "changed meanwhile")
        #expect(try content == "foreign")
        #expect(try names == ["Data.plist"])
    }

    @Test(
        "finds a program that writes into the old file, and leaves that file to it",
        arguments: [
            (FileReplacement.Step.sync, FileReplacement.Step.sync), (.sync, .exchange), (.exchange, .verify),
            (.exchange, .restore),
        ])
    func foreignWrite(_ opening: FileReplacement.Step, _ writing: FileReplacement.Step) throws {
        let handle = Guarded<FileHandle?>(nil)
        #expect(
            outcome { step in
                if step == opening {
                    let opened = FileHandle(forUpdatingAtPath: self.scratch("Data.plist"))
                    handle.withLock { $0 = opened }
                }
                if step == writing { try handle.withLock { try $0?.write(contentsOf: Data("foreign".utf8)) } }
                return nil
            } == "changed meanwhile")
        try handle.withLock { try $0?.write(contentsOf: Data("!".utf8)) }
        #expect(try content == "foreign!")
        #expect(try names == ["Data.plist"])
    }

    @Test("waits for a program that has the file open for writing")
    func openForWriting() throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: scratch("Data.plist")))
        #expect(outcome() == "changed meanwhile")
        try handle.close()
        #expect(outcome() == "saved")
    }

    @Test("does not touch a save that comes after it")
    func laterSave() throws {
        #expect(
            outcome {
                if $0 == .verify { try self.saveAside("foreign") }
                return nil
            } == "saved")
        #expect(try content == "foreign")
        #expect(try names == ["Data.plist"])
    }

    @Test("leaves the newest of several saves by others")
    func severalSaves() throws {
        let texts = Guarded(["second", "third"])
        #expect(
            outcome {
                if $0 == .exchange { try self.saveAside("first") }
                if $0 == .restore, let text = texts.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    try self.saveAside(text)
                }
                return nil
            } == "changed meanwhile")
        #expect(try content == "third")
        #expect(try names == ["Data.plist"])
    }

    @Test("puts a foreign save back even if the new file was removed meanwhile")
    func removedMeanwhile() throws {
        #expect(
            outcome {
                if $0 == .exchange { try self.saveAside("foreign") }
                if $0 == .restore { try self.scratch.remove("Data.plist") }
                return nil
            } == "changed meanwhile")
        #expect(try content == "foreign")
        #expect(try names == ["Data.plist"])
    }

    @Test("keeps a foreign save in a hidden file if it cannot be put back")
    func notRestored() throws {
        #expect(
            outcome {
                if $0 == .exchange { try self.saveAside("foreign") }
                return $0 == .restore ? EIO : nil
            }
                == "Data.plist was saved by another program, too; its content is kept in a hidden file beside it: Input/output error"
        )
        #expect(try names == [".Data.plist.drilldown-edit", "Data.plist"])
        #expect(try String(contentsOfFile: scratch(".Data.plist.drilldown-edit"), encoding: .utf8) == "foreign")
    }

    @Test("is refused if the file was removed", arguments: [FileReplacement.Step.write, .exchange])
    func removed(_ step: FileReplacement.Step) throws {
        #expect(
            outcome {
                if $0 == step { try self.scratch.remove("Data.plist") }
                return nil
            } == "changed meanwhile")
        #expect(try names == [])
    }

    @Test(
        "stays in its folder if a link to another folder takes the folder's place",
        arguments: [FileReplacement.Step.setMode, .write, .sync, .exchange, .verify, .syncFolder, .remove])
    func swappedFolder(_ step: FileReplacement.Step) throws {
        try scratch.folder("outside")
        try scratch.write("outside/Data.plist", "outside")
        try scratch.folder("inside")
        try scratch.write("inside/Data.plist", "old")
        let untouched = FileIdentity(path: scratch("outside"))
        _ = try save(
            "inside/Data.plist",
            before: {
                if $0 == step {
                    try self.scratch.rename("inside", "away")
                    try self.scratch.link("inside", to: "outside")
                }
                return nil
            })
        #expect(FileIdentity(path: scratch("outside")) == untouched)
        #expect(try String(contentsOfFile: scratch("outside/Data.plist"), encoding: .utf8) == "outside")
        #expect(try String(contentsOfFile: scratch("away/Data.plist"), encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("away")) == ["Data.plist"])
    }

    @Test("renames where names cannot be exchanged, after a last look")
    func withoutExchange() throws {
        #expect(outcome { $0 == .exchange ? EINVAL : nil } == "saved")
        #expect(try content == "new")
        #expect(try names == ["Data.plist"])
        #expect(
            outcome {
                if $0 == .exchange { try self.saveAside("foreign") }
                return $0 == .exchange ? EINVAL : nil
            } == "changed meanwhile")
        #expect(try content == "foreign")
    }

    @Test("takes over permissions that change meanwhile", arguments: [FileReplacement.Step.sync, .exchange])
    func permissions(_ step: FileReplacement.Step) throws {
        try scratch.permit(0o640, "Data.plist")
        #expect(
            outcome {
                if $0 == step { try self.scratch.permit(0o604, "Data.plist") }
                return nil
            } == "saved")
        #expect(FileIdentity(path: scratch("Data.plist")).map { $0.mode & 0o7777 } == 0o604)
    }

    @Test("leaves other names of the file with the old content")
    func hardLink() throws {
        try FileManager.default.linkItem(atPath: scratch("Data.plist"), toPath: scratch("Other"))
        #expect(outcome() == "saved")
        #expect(try String(contentsOfFile: scratch("Other"), encoding: .utf8) == "old")
    }

    @Test("needs no longer name than a file system takes")
    func longName() throws {
        for length in [239, 240, 255] {
            let name = String(repeating: "é", count: length / 2) + (length % 2 == 0 ? "" : "x")
            try scratch.write(name, "old")
            _ = try save(name)
            #expect(try String(contentsOfFile: scratch(name), encoding: .utf8) == "new")
        }
        let names = ["\(String(repeating: "a", count: 254))1", "\(String(repeating: "a", count: 254))2"]
        #expect(Set(names.map(FileReplacement.editPath)).count == 2)
        #expect(FileReplacement.editPath(of: "/srv/Data.plist") == "/srv/.Data.plist.drilldown-edit")
        // With the mark that follows it, the slash would be one character.
        #expect(FileReplacement.editPath(of: "/srv/\u{301}a.plist") == "/srv/.\u{301}a.plist.drilldown-edit")
        #expect(FileReplacement.editPath(of: "Data.plist") == ".Data.plist.drilldown-edit")
    }
}
