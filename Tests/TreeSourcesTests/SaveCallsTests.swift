import Foundation
import Locking
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The system calls of a save")
struct SaveCallsTests {
    private let scratch: ScratchFolder
    private let log = Guarded<[String]>([])

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", "old")
    }

    /// A replacement that logs its calls; a call fails if its words contain a text.
    private func begin(
        _ name: String = "Data.plist", failing failures: [(text: String, code: Int32)] = [],
        during: @escaping @Sendable (_ words: String) -> Void = { _ in }
    ) throws -> FileReplacement {
        let aside = FileReplacement.editPath(of: scratch(name))
        return try FileReplacement.begin(of: scratch(name), through: aside, mode: 0o600) {
            [log, folder = scratch.path] step, call in
            let words = "\(step): \(call.words(in: folder))"
            log.withLock { $0.append(words) }
            during(words)
            return failures.first { words.contains($0.text) }?.code
        }
    }

    /// Replaces a file that others may save, too; returns how it ended.
    private func save(failing failures: [(text: String, code: Int32)] = []) throws -> String {
        let original = try DocumentFile.open(path: scratch("Data.plist"), maximumBytes: 1_000)
        var file = try begin(failing: failures)
        try file.append("new".utf8.span)
        return words { () throws(SaveError) in _ = try file.commit(replacing: original, worker: SaveWorker()) { nil } }
    }

    private func words(_ save: () throws(SaveError) -> Void) -> String {
        do throws(SaveError) {
            try save()
            return "saved"
        } catch {
            return switch error {
            case .changedMeanwhile: "changed meanwhile"
            case .noSpace: "no space"
            case .outOfMemory: "out of memory"
            case .unwritable: "unwritable"
            case .failed: "failed"
            case .unknown: "unknown"
            case .busy: "busy"
            case .away: "away"
            case .refused: "refused"
            }
        }
    }

    private var content: String {
        get throws { try String(contentsOfFile: scratch("Data.plist"), encoding: .utf8) }
    }

    private static let aside = ".Data.plist.drilldown-edit"
    private static let beginning = [
        "create: create \(aside)", "setMode: chmod \(aside) 600", "write: write 3 to \(aside)",
    ]
    private static let written =
        beginning + ["setAttributes: copy attributes of Data.plist to \(aside)", "sync: fsync \(aside)"]
    private static let exchanged =
        written + ["exchange: exchange \(aside) Data.plist", "verify: look \(aside)"]
    private static let undone = ["restore: exchange \(aside) Data.plist", "syncUndo: fsync folder"]

    @Test("are create, write, fsync, exchange, and fsync of the folder, before anything is removed")
    func exchange() throws {
        #expect(try save() == "saved")
        #expect(try content == "new")
        #expect(
            log.withLock { $0 }
                == Self.exchanged + ["syncFolder: fsync folder", "remove: unlink \(Self.aside)"])
    }

    @Test("are fsync, rename, and fsync of the folder where names cannot be exchanged")
    func rename() throws {
        #expect(try save(failing: [("exchange:", EINVAL)]) == "saved")
        #expect(try content == "new")
        #expect(
            log.withLock { $0 }
                == Self.written + [
                    "exchange: exchange \(Self.aside) Data.plist", "rename: rename \(Self.aside) Data.plist",
                    "syncFolder: fsync folder",
                ])
    }

    @Test(
        "give the new file the mode that the old one has got meanwhile, before it has the name", arguments: [0, EINVAL])
    func lateMode(exchangeFailure: Int32) throws {
        let original = try DocumentFile.open(path: scratch("Data.plist"), maximumBytes: 1_000)
        let path = scratch("Data.plist")
        let failures = exchangeFailure == 0 ? [] : [(text: "exchange:", code: exchangeFailure)]
        var file = try begin(failing: failures) { words in
            if words.hasPrefix("sync:") { _ = unsafe chmod(path, 0o640) }
        }
        try file.append("new".utf8.span)
        _ = try file.commit(replacing: original, worker: SaveWorker()) { nil }
        let calls = log.withLock { $0 }
        #expect(Array(calls.prefix(6)) == Self.written + [Self.written[3]])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try content == "new")
    }

    @Test("are fsync, rename, and fsync of the folder for a file that nobody else saves")
    func plain() throws {
        var file = try begin()
        try file.append("new".utf8.span)
        _ = try file.commit()
        #expect(
            log.withLock { $0 }
                == Self.beginning + [
                    "sync: fsync \(Self.aside)", "rename: rename \(Self.aside) Data.plist", "syncFolder: fsync folder",
                ])
    }

    @Test("of a new file are fsync, a renaming that replaces nothing, and fsync of the folder")
    func new() throws {
        try scratch.remove("Data.plist")
        var file = try begin()
        try file.append("new".utf8.span)
        #expect(words { () throws(SaveError) in _ = try file.commitAsNew() } == "saved")
        #expect(try content == "new")
        #expect(
            log.withLock { $0 }
                == Self.beginning + [
                    "sync: fsync \(Self.aside)", "rename: move \(Self.aside) to free Data.plist",
                    "syncFolder: fsync folder",
                ])
    }

    @Test("end at the first that fails, before the document is touched")
    func early() throws {
        #expect(try save(failing: [("sync: fsync", EIO)]) == "failed")
        #expect(log.withLock { $0 } == Self.written)
        #expect(try content == "old")
    }

    @Test(
        "undo an exchange whose folder is not synced, and sync the folder again",
        arguments: [
            (["syncFolder: fsync": EIO], "failed"), (["syncFolder: fsync": ENOSPC], "no space"),
            (["syncFolder: fsync": EINVAL], "failed"), (["syncFolder: fsync": EIO, "syncUndo: fsync": EIO], "unknown"),
            (["syncFolder: fsync": EIO, "syncUndo: fsync": ENOSPC], "unknown"),
            (["syncFolder: fsync": EIO, "syncUndo: fsync": EINVAL], "unknown"),
        ])
    func undo(_ failures: [String: Int32], _ outcome: String) throws {
        #expect(try save(failing: failures.map { ($0.key, $0.value) }) == outcome)
        #expect(
            log.withLock { $0 }
                == Self.exchanged + ["syncFolder: fsync folder"] + Self.undone)
        #expect(try content == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["Data.plist"])
    }

    @Test("cannot undo a renaming whose folder is not synced, so its outcome is unknown")
    func renamed() throws {
        #expect(try save(failing: [("exchange:", EINVAL), ("syncFolder: fsync", EIO)]) == "unknown")
        #expect(try content == "new")
    }

    @Test(
        "remove a new file whose folder is not synced, and sync the folder again",
        arguments: [
            (["syncFolder: fsync": EIO], "failed"), (["syncFolder: fsync": EIO, "syncUndo: fsync": EIO], "unknown"),
        ])
    func undoNew(_ failures: [String: Int32], _ outcome: String) throws {
        try scratch.remove("Data.plist")
        var file = try begin(failing: failures.map { ($0.key, $0.value) })
        #expect(words { () throws(SaveError) in _ = try file.commitAsNew() } == outcome)
        #expect(
            log.withLock { $0 }.suffix(2) == ["restore: unlink Data.plist", "syncUndo: fsync folder"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    }

    @Test(
        "may leave out the folder's sync on no other file systems than SMB, 9P and the folders of VirtualBox",
        arguments: [
            (0xFF53_4D42, true), (0xFE53_4D42, true), (0x0102_1997, true), (0x786F_4256, true), (0xEF53, false),
            (0x5846_5342, false), (0x9123_683E, false), (0x6969, false), (0x6573_5546, false),
        ] as [(UInt32, Bool)])
    func folders(_ kind: UInt32, _ isImpossible: Bool) {
        #expect(FolderSync.isImpossible(onKind: kind) == isImpossible)
    }
}

extension SystemCall {
    /// The call with the names of its files in a folder, to which its descriptors really refer.
    fileprivate func words(in folder: String) -> String {
        func name(_ path: String) -> String {
            path == folder || path == folder + "/" ? "folder" : path.replacing(folder + "/", with: "")
        }
        func name(_ descriptor: Int32) -> String {
            do {
                let link = "/proc/self/fd/\(descriptor)"
                return name(try FileManager.default.destinationOfSymbolicLink(atPath: link))
            } catch {
                return "\(error)"
            }
        }
        return switch self {
        case .create(let path): "create \(name(path))"
        case .setMode(let file, let mode): "chmod \(name(file)) \(String(mode, radix: 8))"
        case .write(let file, let count): "write \(count) to \(name(file))"
        case .copyAttributes(let from, let to): "copy attributes of \(name(from)) to \(name(to))"
        case .fsync(let file): "fsync \(name(file))"
        case .rename(let old, let new): "rename \(name(old)) \(name(new))"
        case .exchange(let one, let other): "exchange \(name(one)) \(name(other))"
        case .moveToFree(let old, let new): "move \(name(old)) to free \(name(new))"
        case .look(let path): "look \(name(path))"
        case .unlink(let path): "unlink \(name(path))"
        }
    }
}
