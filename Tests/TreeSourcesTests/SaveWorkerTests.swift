import Foundation
import Levels
import Locking
import TestSources
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("The worker of saves") struct SaveWorkerTests {
    /// Whether a file is locked: its lock goes when it is closed.
    private static func isLocked(_ path: String) -> Bool {
        let other = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { _ = close(other) }
        return flock(other, LOCK_EX | LOCK_NB) != 0
    }

    /// A file that is open and locked.
    private static func lockedFile(_ path: String) throws -> DocumentFile {
        let file = try DocumentFile.open(path: path, maximumBytes: .max)
        let descriptor = file.descriptor
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return file
    }

    @Test("closes a replaced file, at the latest when that is waited for")
    func closes() throws {
        let folder = try ScratchFolder()
        let path = try folder.write("a.plist", "<plist/>")
        let file = try Self.lockedFile(path)
        let isSmall = file.isSmallBesideFreeSpace
        #expect(isSmall)
        #expect(Self.isLocked(path))
        let worker = SaveWorker()
        worker.close(replaced: file)
        #expect(Self.isLocked(path))
        #expect(worker.isClosing)
        worker.finishClosing()
        #expect(!Self.isLocked(path))
        #expect(!worker.isClosing)
    }

    @Test("closes the last of several files by the time at which it has ended")
    func closesSeveral() throws {
        let folder = try ScratchFolder()
        let paths = try (0..<9).map { try folder.write("\($0).plist", "<plist/>") }
        do {
            let worker = SaveWorker()
            for path in paths.dropLast() {
                worker.close(replaced: try Self.lockedFile(path))
                worker.beginClosing()
            }
            #expect(worker.run({ 1 }, while: {}) == 1)
            // Nobody begins to close it.
            worker.close(replaced: try Self.lockedFile(paths[8]))
        }
        #expect(paths.filter(Self.isLocked) == [])
    }

    @Test("has a file closed at once that is large beside the free space")
    func large() throws {
        let folder = try ScratchFolder()
        let path = try folder.write("a.plist", "")
        // It has a hole in it, and no blocks.
        #expect(unsafe truncate(path, 1 << 43) == 0)
        let file = try Self.lockedFile(path)
        let isSmall = file.isSmallBesideFreeSpace
        #expect(!isSmall)
        let worker = SaveWorker()
        worker.close(replaced: file)
        #expect(!Self.isLocked(path))
        #expect(!worker.isClosing)
    }

    @Test("has a save without space tried again once the files are closed that held it", arguments: [true, false])
    func secondAttempt(_ isClosing: Bool) throws {
        let folder = try ScratchFolder()
        let path = try folder.write("Data.json", #"["A"]"#)
        let old = try folder.write("Old.json", "[]")
        let mayClose = Semaphore()
        let failures = Guarded(0)
        let file = PropertyListFile(path: path, pollInterval: .seconds(3_600))
        let watcher = DocumentWatcher(document: file) { step, _ in
            guard step == .create, failures.withLock({ $0 }) == 0 else { return nil }
            failures.withLock { $0 += 1 }
            mayClose.signal()
            return ENOSPC
        }
        _ = try watcher.load(replacing: nil)
        let group = try watcher.beginEdits()
        _ = try group.apply(EditBatch([.delete(try ItemPath("/A".utf8.span))], isExact: false))
        if isClosing {
            watcher.shared.saveWorker.run {
                mayClose.wait()
            } while: {
                do {
                    watcher.shared.saveWorker.close(replaced: try Self.lockedFile(old))
                    _ = try group.save()
                } catch {
                    Issue.record("\(error)")
                    mayClose.signal()
                }
            }
            #expect(!Self.isLocked(old))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "[]")
        } else {
            #expect(throws: SaveError.self) { try group.save() }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == #"["A"]"#)
        }
        #expect(failures.withLock { $0 } == 1)
    }
}
