internal import CFiles
internal import Files
internal import Glibc

/// Replaces a file that other programs may save at any moment, without losing their saves.
///
/// The new and the old file exchange their names (`renameat2(2)`), which shows which file was at the path in that
/// instant. If that is not the file that was read, it is put back.
extension FileReplacement {
    /// Puts the new content in place of the original, unless another program has changed the file since it was read.
    ///
    /// Three cases cannot be detected. A program opens the new file later and writes content derived from the old
    /// content. A program has the old file open for writing, on a file system without leases. A program replaces the
    /// file between the last check and the renaming, on a file system that cannot exchange names. If the process is
    /// killed after the exchange and before the check that follows, the old file remains under the hidden name.
    ///
    /// - Parameters:
    ///   - original: the open file, in the state in which it was read.
    ///   - worker: runs the check.
    ///   - check: runs while the new content is being written to disk. It returns the reason not to save the content,
    ///     or nil.
    /// - Returns: the identity of the new file.
    /// - Throws: `SaveError`. Except for `SaveError.unknown`, the old file, or the file of another program, is at the
    ///   path.
    mutating func commit(
        replacing original: borrowing DocumentFile, worker: SaveWorker, check: (@Sendable () -> SaveError?)? = nil
    ) throws(SaveError) -> FileIdentity {
        var refusal: SaveError?
        do throws(FileReplacementError) {
            let attributes = try prepare(original)
            refusal = try sync(worker, check)
            if refusal == nil { return try exchange(with: original, copied: attributes) }
        } catch {
            throw error.isForeignSave ? .changedMeanwhile : SaveError(error)
        }
        // The original probably changed while it was copied.
        throw original.isUnchanged() ? refusal ?? .changedMeanwhile : .changedMeanwhile
    }

    /// Checks that the original has not changed, and gives its attributes to the new file.
    private func prepare(_ original: borrowing DocumentFile) throws(FileReplacementError) -> FileAttributes {
        guard original.isUnchanged(), !FileLease.isBeingWritten(original.descriptor) else { throw foreignSave }
        return try copyAttributes(from: original.descriptor)
    }

    /// Writes the new content to disk, and runs the check meanwhile. Returns the reason not to save the content, or
    /// nil.
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
        with original: borrowing DocumentFile, copied: FileAttributes
    ) throws(FileReplacementError) -> FileIdentity {
        let old = original.descriptor
        var attributes = copied
        // Another process of this program must not mistake the old file for remains while it has the hidden name.
        _ = flock(old, LOCK_EX | LOCK_NB)
        defer { _ = flock(old, LOCK_UN) }
        if FileAttributes(of: old) != attributes { attributes = try copyAttributes(from: old) }
        let new = FileIdentity(ofOpen: descriptor)
        guard try swap() else { return try renameOver(original) }
        do throws(FileReplacementError) {
            try verify(original, attributes: attributes)
            try syncFolder()
        } catch {
            try restore(new)
            if error.step == .syncFolder { try syncUndo() }
            throw error
        }
        // This is done while the old file is locked. Afterwards, the hidden name may belong to another process.
        isRenamed = make(.remove, call: .unlink(aside.lastName)) == 0
        return state(since: new)
    }

    /// Exchanges the names of the two files. Returns false if the file system does not support this.
    private func swap() throws(FileReplacementError) -> Bool {
        do throws(FileReplacementError) {
            try attempt(.exchange, path: path, call: .exchange(aside.lastName, path.lastName))
            return true
        } catch {
            if error.isUnsupported { return false }
            // The file was just removed or moved away.
            throw error.code == ENOENT ? foreignSave : error
        }
    }

    /// Checks the file that was at the path. It must be the original, and no program may be writing to it.
    private func verify(
        _ original: borrowing DocumentFile, attributes: FileAttributes
    ) throws(FileReplacementError) {
        try attempt(.verify, path: path, call: .look(aside.lastName))
        guard let taken = identity(of: aside), taken.isSameContent(as: original.identity),
            !FileLease.isBeingWritten(original.descriptor), original.isUnchanged()
        else { throw foreignSave }
        // Renaming has changed the time of the original's attributes.
        guard FileAttributes(of: original.descriptor, comparesTime: false) != attributes.withoutTime else { return }
        _ = try copyAttributes(from: original.descriptor)
    }

    /// Puts back the file that the exchange took away, or the newest file that other programs have saved since then.
    ///
    /// Each exchange puts in place the file that the previous exchange took away. If an exchange takes away the file
    /// that was just put in place, no program has saved another file in between.
    ///
    /// - Parameter new: the identity of the file with the new content, which is dropped.
    private mutating func restore(_ new: FileIdentity) throws(FileReplacementError) {
        var own = new
        while let offered = identity(of: aside) {
            if make(.restore, call: .exchange(aside.lastName, path.lastName)) != 0 {
                if errno == ENOENT, make(.rename, call: .moveToFree(aside.lastName, to: path.lastName)) == 0 {
                    isRenamed = true
                    return
                }
                if errno == EEXIST || errno == ENOENT { continue }
                // The other program's file stays under the hidden name: an extra file is better than a lost file.
                isRenamed = true
                throw FileReplacementError(step: .restore, code: errno, path: path, isUnknown: true)
            }
            guard let taken = identity(of: aside), !taken.isSameContent(as: own) else { return }
            own = offered
        }
    }

    /// Replaces the file on a file system that cannot exchange names. Checks the file at the path just before.
    private mutating func renameOver(
        _ original: borrowing DocumentFile
    ) throws(FileReplacementError) -> FileIdentity {
        guard let found = identity(of: path), found.isSameContent(as: original.identity) else {
            throw foreignSave
        }
        return try rename()
    }

    private func copyAttributes(from old: Int32) throws(FileReplacementError) -> FileAttributes {
        try attempt(.setAttributes, path: aside, call: .copyAttributes(from: old, to: descriptor))
        do throws(ErrorNumber) {
            return try FileAttributes.copy(from: old, to: descriptor)
        } catch {
            throw FileReplacementError(step: .setAttributes, code: error.code, path: aside)
        }
    }

    /// The error for a file that another program has saved.
    private var foreignSave: FileReplacementError { FileReplacementError(step: .verify, code: ESTALE, path: path) }
}

extension FileReplacementError {
    /// Whether the file system cannot exchange names, or cannot require a free name (`renameat2(2)`).
    fileprivate var isUnsupported: Bool { code == EINVAL || code == ENOSYS || code == EOPNOTSUPP }

    /// Whether the file is not the one that was read, although no step failed.
    fileprivate var isForeignSave: Bool { step == .verify && code == ESTALE }
}

extension FileReplacement {
    /// Puts the new content at the path, where no file existed, and returns when the content is on disk.
    ///
    /// - Returns: the identity of the new file.
    /// - Throws: `SaveError`. It is `changedMeanwhile` if another program has made a file at the path; that file stays.
    mutating func commitAsNew() throws(SaveError) -> FileIdentity {
        var written = FileIdentity(ofOpen: descriptor)
        do throws(FileReplacementError) {
            try syncContent()
            written = FileIdentity(ofOpen: descriptor)
            try attempt(.rename, path: path, call: .moveToFree(aside.lastName, to: path.lastName))
        } catch {
            guard error.step == .rename else { throw SaveError(error) }
            if error.code == EEXIST { throw .changedMeanwhile }
            guard error.isUnsupported else { throw SaveError(error) }
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

    /// Removes the new file after a failed sync of the folder, because a power failure could remove it later.
    ///
    /// - Returns: the failure. Its outcome is unknown if the new file cannot be removed durably.
    private func removed(after failure: FileReplacementError) -> FileReplacementError {
        do throws(FileReplacementError) {
            if identity(of: path)?.isSameFile(as: FileIdentity(ofOpen: descriptor)) == true {
                try attempt(.restore, path: path, call: .unlink(path.lastName))
            }
            try syncUndo()
            return failure
        } catch {
            return failure.withUnknownOutcome
        }
    }

    /// Renames the new file on a file system that may replace a file at the path. Checks just before that no file is
    /// there.
    private mutating func renameToFree() throws(SaveError) -> FileIdentity {
        guard identity(of: path) == nil else { throw .changedMeanwhile }
        do throws(FileReplacementError) {
            return try rename()
        } catch {
            throw SaveError(error)
        }
    }
}

/// The folder of a replaced file. A new name is durable only after the folder is synced.
extension FileReplacement {
    /// The identity of the file that now has one of the two paths' names; nil if the folder has no such name.
    private func identity(of path: String) -> FileIdentity? {
        FileIdentity(named: path.lastName, in: folder.descriptor)
    }

    /// Writes the names in the folder to disk.
    func syncFolder(_ step: Step = .syncFolder) throws(FileReplacementError) {
        guard make(step, call: .fsync(folder.descriptor)) != 0 else { return }
        let code = errno
        if code == EINVAL, FolderSync.isImpossible(onFileSystemOf: folder.descriptor) { return }
        throw FileReplacementError(step: step, code: code, path: Self.folder(of: path))
    }

    /// Writes the names to disk after an exchange or renaming has been undone.
    ///
    /// The first sync of the folder had failed, and the exchange or renaming was undone for that reason. The undoing
    /// changed the folder once more, so the system tries again to write the folder.
    ///
    /// - Throws: `FileReplacementError` with an unknown outcome: the disk may have the new names.
    func syncUndo() throws(FileReplacementError) {
        do throws(FileReplacementError) { try syncFolder(.syncUndo) } catch { throw error.withUnknownOutcome }
    }
}

/// File systems on which a folder cannot be synced.
enum FolderSync {
    /// The file systems whose drivers lack this call for a folder, by their numbers in statfs(2). They are SMB (before
    /// Linux 4.18), 9P (its first protocol), and the shared folders of VirtualBox. Another machine keeps the names of
    /// their files.
    private static let withoutCall: Set<UInt32> = [0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x786F_4256]

    static func isImpossible(onFileSystemOf descriptor: Int32) -> Bool {
        var system = statfs()
        return unsafe fstatfs(descriptor, &system) == 0
            && isImpossible(onKind: UInt32(truncatingIfNeeded: system.f_type))
    }

    static func isImpossible(onKind kind: UInt32) -> Bool { withoutCall.contains(kind) }
}
