internal import CFiles
internal import Files
internal import Glibc

/// The replacement of a file that others may save at any moment: what they save is never lost.
///
/// The two files exchange their names (`renameat2(2)`), which shows what really was at the path in that instant. If it
/// is not the file that was read, it is put back.
extension FileReplacement {
    /// Puts the new content in place of the original, unless somebody else has changed the file since it was read.
    ///
    /// What cannot be seen: a program that opens the new file afterwards and writes into it what it made of the old
    /// content; a program that had the old file open for writing, on a file system without leases; and one that replaces
    /// the file between the last look and the renaming, on a file system that cannot exchange names. A process that is
    /// killed between the exchange and the look leaves what it took away in the hidden file.
    ///
    /// - Parameters:
    ///   - original: the open file, in the state in which it was read.
    ///   - worker: runs the check.
    ///   - check: runs while the new content is written to disk; returns why it must not be saved, or nil if it may.
    /// - Returns: the state of the new file.
    /// - Throws: `SaveError`; the old file is in place, or what somebody else saved.
    mutating func commit(
        replacing original: borrowing DocumentFile, _ worker: SaveWorker, check: (@Sendable () -> SaveError?)? = nil
    ) throws(SaveError) -> FileIdentity {
        var refusal: SaveError?
        do throws(FileReplacementError) {
            let attributes = try prepare(original)
            refusal = try sync(worker, check)
            if refusal == nil { return try exchange(with: original, attributes) }
        } catch {
            throw error.isForeignSave ? .changedMeanwhile : SaveError(error)
        }
        // Probably the original changed while it was copied.
        throw original.isUnchanged() ? refusal ?? .changedMeanwhile : .changedMeanwhile
    }

    /// Gives the new file the attributes of the original, after a first look at it.
    private func prepare(_ original: borrowing DocumentFile) throws(FileReplacementError) -> FileAttributes {
        guard original.isUnchanged(), !FileLease.isBeingWritten(original.descriptor) else { throw foreignSave }
        return try copyAttributes(from: original.descriptor)
    }

    /// Writes the new content to disk, and checks it meanwhile; returns what the check says.
    private func sync(
        _ worker: SaveWorker, _ check: (@Sendable () -> SaveError?)?
    ) throws(FileReplacementError) -> SaveError? {
        guard let check else {
            try syncContent()
            return nil
        }
        var failure: FileReplacementError?
        let refusal = worker.run(check) {
            do throws(FileReplacementError) {
                try syncContent()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return refusal
    }

    private mutating func exchange(
        with original: borrowing DocumentFile, _ copied: FileAttributes
    ) throws(FileReplacementError) -> FileIdentity {
        let old = original.descriptor
        var attributes = copied
        // Another process of this program must not take the old file for remains while it has the other name.
        _ = flock(old, LOCK_EX | LOCK_NB)
        defer { _ = flock(old, LOCK_UN) }
        if FileAttributes(of: old) != attributes { attributes = try copyAttributes(from: old) }
        let new = FileIdentity(ofOpen: descriptor)
        guard try swap() else { return try renameOver(original) }
        do throws(FileReplacementError) {
            try verify(original, attributes)
            try syncFolder()
        } catch {
            try restore(new)
            if error.step == .syncFolder { try syncUndo() }
            throw error
        }
        // While it is locked: afterwards another process may have a file of its own under the name.
        isRenamed = make(.remove, .unlink(aside)) == 0
        return state(since: new)
    }

    /// Exchanges the names of the two files; false if the file system cannot.
    private func swap() throws(FileReplacementError) -> Bool {
        do throws(FileReplacementError) {
            try attempt(.exchange, path, .exchange(aside, path))
            return true
        } catch {
            if FileNames.isUnsupported(error.code) { return false }
            // The file was removed or moved away just now.
            throw error.code == ENOENT ? foreignSave : error
        }
    }

    /// Looks at the file that was at the path: it must be the original, and nobody may be writing to it.
    private func verify(
        _ original: borrowing DocumentFile, _ attributes: FileAttributes
    ) throws(FileReplacementError) {
        try attempt(.verify, path, .look(aside))
        guard let taken = FileIdentity(named: aside), taken.isSameContent(as: original.identity),
            !FileLease.isBeingWritten(original.descriptor), original.isUnchanged()
        else { throw foreignSave }
        // Renaming has changed the time of its attributes.
        guard FileAttributes(of: original.descriptor, comparesTime: false) != attributes.withoutTime else { return }
        _ = try copyAttributes(from: original.descriptor)
    }

    /// Puts back what the exchange took away, and what anybody has saved meanwhile: the newest of it.
    ///
    /// Each exchange puts in place what the one before took away. The last one takes away what was put in place itself,
    /// so that nobody has saved anything in between.
    ///
    /// - Parameter new: the state of the new content, which is dropped.
    private mutating func restore(_ new: FileIdentity) throws(FileReplacementError) {
        var own = new
        while let offered = FileIdentity(named: aside) {
            if make(.restore, .exchange(aside, path)) != 0 {
                if errno == ENOENT, make(.rename, .moveToFree(aside, to: path)) == 0 {
                    isRenamed = true
                    return
                }
                if errno == EEXIST || errno == ENOENT { continue }
                // Better a file too many than a lost one.
                isRenamed = true
                throw FileReplacementError(step: .restore, code: errno, path: path, isUnknown: true)
            }
            guard let taken = FileIdentity(named: aside), !taken.isSameContent(as: own) else { return }
            own = offered
        }
    }

    /// Replaces the file where names cannot be exchanged, after a last look.
    private mutating func renameOver(
        _ original: borrowing DocumentFile
    ) throws(FileReplacementError) -> FileIdentity {
        guard let found = FileIdentity(named: path), found.isSameContent(as: original.identity) else {
            throw foreignSave
        }
        return try rename()
    }

    private func copyAttributes(from old: Int32) throws(FileReplacementError) -> FileAttributes {
        try attempt(.setAttributes, aside, .copyAttributes(from: old, to: descriptor))
        do throws(ErrorNumber) {
            return try FileAttributes.copy(from: old, to: descriptor)
        } catch {
            throw FileReplacementError(step: .setAttributes, code: error.code, path: aside)
        }
    }

    /// That somebody else has saved the file.
    private var foreignSave: FileReplacementError { FileReplacementError(step: .verify, code: ESTALE, path: path) }
}

extension FileReplacementError {
    /// Whether nothing failed, but the file is not the one that was read.
    fileprivate var isForeignSave: Bool { step == .verify && code == ESTALE }
}

/// Renaming without replacing (`renameat2(2)`).
enum FileNames {
    static func exchange(_ one: String, _ other: String) -> Int32 {
        unsafe renameat2(AT_FDCWD, one, AT_FDCWD, other, UInt32(RENAME_EXCHANGE))
    }

    /// Renames a file to a name that must be free; fails with `EEXIST`.
    static func moveToFree(_ old: String, _ new: String) -> Int32 {
        unsafe renameat2(AT_FDCWD, old, AT_FDCWD, new, UInt32(RENAME_NOREPLACE))
    }

    static func isUnsupported(_ code: Int32) -> Bool { code == EINVAL || code == ENOSYS || code == EOPNOTSUPP }
}

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
