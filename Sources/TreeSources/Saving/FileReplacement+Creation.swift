internal import Glibc

extension FileReplacement {
    /// Gives the new content the path, at which there was no file, and returns when it is on disk.
    ///
    /// - Returns: the state of the new file.
    /// - Throws: `SaveError`: `changedMeanwhile` if somebody else has made a file there; nothing is at the path, or that.
    mutating func commitAsNew() throws(SaveError) -> FileIdentity {
        var written = FileIdentity(ofOpen: descriptor)
        do throws(FileReplacementError) {
            try syncContent()
            written = FileIdentity(ofOpen: descriptor)
            try attempt(.rename, path, .moveToFree(aside, to: path))
        } catch {
            guard error.step == .rename else { throw SaveError(error) }
            if error.code == EEXIST { throw .changedMeanwhile }
            guard FileNames.isUnsupported(error.code) else { throw SaveError(error) }
            return try renameToFree()
        }
        isRenamed = true
        do throws(FileReplacementError) {
            try syncFolder()
        } catch {
            throw SaveError(removed(after: error))
        }
        return state(since: written)
    }

    /// Removes the new file after a failed sync of the folder: a power failure could remove it, so it must not be there.
    ///
    /// - Returns: the failure; its outcome is unknown if the file cannot be removed for good.
    private func removed(after failure: FileReplacementError) -> FileReplacementError {
        do throws(FileReplacementError) {
            if Self.isStill(descriptor, at: path) { try attempt(.restore, path, .unlink(path)) }
            try syncUndo()
            return failure
        } catch {
            return failure.withUnknownOutcome
        }
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
