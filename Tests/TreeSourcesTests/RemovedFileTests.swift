import Foundation
import Testing

@testable import TestSupport
@testable import TreeSources

/// The file that a save replaced is closed by the thread for the disk, or at once where space is short.
@Suite("A replaced file") struct RemovedFileTests {
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

    @Test("is closed by the time at which the thread has ended")
    func closed() throws {
        let folder = try ScratchFolder()
        let path = try folder.write("a.plist", "<plist/>")
        let file = try Self.lockedFile(path)
        let isSmall = file.isSmallBesideFreeSpace
        #expect(isSmall)
        #expect(Self.isLocked(path))
        CheckThread().close(removed: file)
        #expect(!Self.isLocked(path))
    }

    @Test("is closed at once if it is large beside the free space")
    func large() throws {
        let folder = try ScratchFolder()
        let path = try folder.write("a.plist", "")
        // It has a hole in it, and no blocks.
        #expect(unsafe truncate(path, 1 << 43) == 0)
        let file = try Self.lockedFile(path)
        let isSmall = file.isSmallBesideFreeSpace
        #expect(!isSmall)
        let disk = CheckThread()
        disk.close(removed: file)
        #expect(!Self.isLocked(path))
        withExtendedLifetime(disk) {}
    }
}
