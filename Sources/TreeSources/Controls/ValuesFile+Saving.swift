internal import Bytes
internal import Glibc
internal import PropertyLists

extension ValuesFile {
    /// Replaces the values, and returns when they are on disk; a missing file is made.
    ///
    /// - Parameters:
    ///   - new: all values.
    ///   - old: the values that were read.
    /// - Returns: what a load gives now.
    /// - Throws: `SaveError`; the file is as it was.
    func save(
        _ new: PropertyListDictionary, over old: StoredValues, _ worker: SaveWorker
    ) throws(SaveError) -> StoredValues {
        var saved = old
        saved.values = new
        saved.syntax = old.syntax ?? .xml
        saved.identity = try old.identity == nil ? make(holding: new) : replace(old, by: new, worker)
        return saved
    }

    private func replace(
        _ old: StoredValues, by new: PropertyListDictionary, _ worker: SaveWorker
    ) throws(SaveError) -> FileIdentity {
        guard let target = RealPath.existing(path) else { throw .changedMeanwhile }
        let original = try DocumentFile.open(path: target, maximumBytes: maximumBytes, unchangedSince: old.identity)
        var file = try begin(target, mode: 0o600)
        do throws(SaveError) {
            try write(new, over: old, in: .memory(try bytes(of: original)), to: &file)
        } catch {
            // Probably it changed while it was copied.
            throw original.isUnchanged() ? error : .changedMeanwhile
        }
        let identity = try file.commit(replacing: original, worker)
        worker.close(replaced: original)
        return identity
    }

    /// The old content. It is read before anything is written, so that a fault of the disk is not taken for one of the
    /// new values.
    private func bytes(of original: borrowing DocumentFile) throws(SaveError) -> [UInt8] {
        do throws(PropertyListError) {
            return try original.bytes()
        } catch {
            throw .failed("\(path: path) cannot be read: \(error.reason)")
        }
    }

    /// Makes the file, with the usual permissions.
    private func make(holding new: PropertyListDictionary) throws(SaveError) -> FileIdentity {
        var file = try begin(path, mode: newMode)
        try write(new, over: StoredValues(), in: nil, to: &file)
        return try file.commitAsNew()
    }

    private func begin(_ target: String, mode: mode_t) throws(SaveError) -> FileReplacement {
        do throws(FileReplacementError) {
            return try FileReplacement.begin(
                of: target, through: FileReplacement.editPath(of: target), mode: .fixed(mode), fault: fault)
        } catch {
            throw SaveError(error)
        }
    }

    private func write(
        _ new: PropertyListDictionary, over old: StoredValues, in input: DocumentInput?, to file: inout FileReplacement
    ) throws(SaveError) {
        let splice = DictionarySplice(old: old.values, new: new)
        do throws(SpliceError<FileReplacementError>) {
            try splice.write(input, syntax: old.syntax ?? .xml) { (bytes) throws(FileReplacementError) in
                try file.append(bytes)
            }
        } catch {
            switch error {
            case .sink(let failure): throw SaveError(failure)
            case .document(let fault):
                throw .unwritable(SaveRefusal("the values document cannot hold the value, because \(fault.reason)"))
            }
        }
    }

    /// Removes what a killed process left of a save.
    func removeRemains() { FileReplacement.removeRemains(at: FileReplacement.editPath(of: RealPath.of(path))) }

    /// Why no value can be stored in the file's current state; nil if one can.
    var refusal: SaveRefusal? {
        guard let target = RealPath.existing(path) else {
            if FileIdentity(named: path) != nil { return .danglingValues }
            let folder = FileReplacement.folder(of: path)
            return FileIdentity(path: folder) == nil ? .missingValuesFolder : Self.refusal(ofFolder: folder)
        }
        // Root may write to any file, but a file that nobody has permission to write to is meant to stay as it is.
        guard let mode = FileIdentity(path: target)?.mode, mode & 0o222 != 0 else { return .readOnlyValues }
        return PropertyListFile.denial(of: W_OK, to: target, .readOnlyValues)
            ?? Self.refusal(ofFolder: FileReplacement.folder(of: target))
    }

    private static func refusal(ofFolder folder: String) -> SaveRefusal? {
        PropertyListFile.denial(of: R_OK | W_OK | X_OK, to: folder, .readOnlyValuesFolder)
    }
}

extension SaveRefusal {
    static let noValues = SaveRefusal(
        "the values of these controls are not stored anywhere; start the server with --values FILE")
    fileprivate static let danglingValues = SaveRefusal(
        "the values document is a symbolic link to a file that does not exist; point it at a file")
    fileprivate static let missingValuesFolder = SaveRefusal(
        "the folder of the values document does not exist; make it, then repeat the edit")
    fileprivate static let readOnlyValues = SaveRefusal(
        "the values document is read-only; give the server permission to write to it")
    fileprivate static let readOnlyValuesFolder = SaveRefusal(
        "the folder of the values document is read-only, and saving creates a new file there; give the server permission to write to it"
    )
}
