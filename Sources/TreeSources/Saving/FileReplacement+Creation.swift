internal import Glibc

extension FileReplacement {
    /// Gives the new content the path, at which there was no file, and returns when it is on disk.
    ///
    /// - Returns: the state of the new file.
    /// - Throws: `SaveError`: `changedMeanwhile` if somebody else has made a file there; nothing is at the path, or that.
    mutating func commitAsNew() throws(SaveError) -> FileIdentity {
        var written = FileIdentity(ofOpen: descriptor)
        do throws(FileReplacementError) {
            try attempt(.sync, aside) { fsync(descriptor) }
            written = FileIdentity(ofOpen: descriptor)
            try attempt(.rename, path) { FileNames.moveToFree(aside, path) }
        } catch {
            guard error.step == .rename else { throw SaveError(error) }
            if error.code == EEXIST { throw .changedMeanwhile }
            guard FileNames.isUnsupported(error.code) else { throw SaveError(error) }
            return try renameToFree()
        }
        isRenamed = true
        do throws(FileReplacementError) {
            try attempt(.syncFolder, Self.folder(of: path)) { Self.syncFolder(of: path) }
        } catch {
            // A power failure could remove it, so it must not be there now.
            if Self.isStill(descriptor, at: path) { _ = unsafe unlink(path) }
            throw SaveError(error)
        }
        return state(since: written)
    }

    /// Renames where a file system cannot refuse to replace, after a last look.
    private mutating func renameToFree() throws(SaveError) -> FileIdentity {
        guard FileIdentity(named: path) == nil else { throw .changedMeanwhile }
        do throws(FileReplacementError) {
            return try rename()
        } catch {
            throw SaveError(error)
        }
    }
}
