internal import CFiles
internal import Glibc

/// The folder of a replaced file: a new name is on disk only when the folder is.
extension FileReplacement {
    /// Writes the names in the folder to disk.
    func syncFolder(_ step: Step = .syncFolder) throws(FileReplacementError) {
        let folder = Self.folder(of: path)
        let opened = try attempt(step, folder, .openFolder(folder))
        defer { _ = close(opened) }
        guard make(step, .fsync(opened)) != 0 else { return }
        let code = errno
        if code == EINVAL, FolderSync.isImpossible(onFileSystemOf: opened) { return }
        throw FileReplacementError(step: step, code: code, path: folder)
    }

    /// Writes the names to disk again after an exchange or a renaming whose sync failed was undone.
    ///
    /// Undoing it has changed the folder once more, so that the system tries to write what it may have given up.
    ///
    /// - Throws: `FileReplacementError` with an unknown outcome: the disk may have the new names.
    func syncUndo() throws(FileReplacementError) {
        do throws(FileReplacementError) { try syncFolder(.syncUndo) } catch { throw error.withUnknownOutcome }
    }
}

/// File systems on which a folder cannot be synced.
enum FolderSync {
    /// Drivers that have no such call for a folder, as their numbers in statfs(2): SMB (before Linux 4.18), 9P (its first
    /// protocol), and the shared folders of VirtualBox. Their names are kept by another machine.
    private static let withoutCall: Set<UInt32> = [0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x786F_4256]

    static func isImpossible(onFileSystemOf descriptor: Int32) -> Bool {
        var system = statfs()
        return unsafe fstatfs(descriptor, &system) == 0
            && isImpossible(onKind: UInt32(truncatingIfNeeded: system.f_type))
    }

    static func isImpossible(onKind kind: UInt32) -> Bool { withoutCall.contains(kind) }
}
