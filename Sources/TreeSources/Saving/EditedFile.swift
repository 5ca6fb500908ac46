internal import Bytes
internal import Files
internal import Glibc
internal import Heap
internal import Levels
internal import PropertyLists

/// A file of a document that is being edited: its loaded content, and the parameters of a save.
struct EditedFile {
    /// The path without symbolic links. A link that takes the place of a folder later is not followed.
    let path: String
    let maximumBytes: Int
    let interpretation: Interpretation
    /// The loaded content.
    let loaded: LoadedTree
    let syntax: PropertyListSyntax
    let worker: SaveWorker
    /// Makes steps of a save fail in tests.
    var fault: FileReplacement.Fault = { _, _ in nil }

    /// The new content of a file.
    enum Content {
        /// An edited tree: the level whose only row is the root item, and the draft that became this level; nil if the
        /// whole document is new.
        case tree(Level, draft: LevelDraft?)
        /// A document in the file's syntax, and the tree read from it.
        case bytes([UInt8], Tree)

        fileprivate var document: Level {
            switch self {
            case .tree(let document, _): document
            case .bytes(_, let tree): tree.document
            }
        }

        /// What was decided about the new document, if it is read as it is.
        fileprivate var kept: KeptReading? { if case .bytes(_, let tree) = self { tree.kept } else { nil } }
    }

    /// The maximum size of a document that is held in memory, to be checked before it replaces the old document.
    private static let mostCheckedBytes = 256 << 10

    /// Replaces the file's content, and returns when the new content is on disk.
    ///
    /// - Returns: the result of a load of the file.
    /// - Throws: `SaveError`. Except for `SaveError.unknown`, the file is unchanged.
    func save(_ content: Content) throws(SaveError) -> LoadedTree {
        // The file replaced by an earlier save takes up space until it is closed.
        let wasClosing = worker.isClosing
        do throws(SaveError) {
            return try attempt(content)
        } catch {
            guard case .noSpace = error, wasClosing else { throw error }
            worker.finishClosing()
            return try attempt(content)
        }
    }

    private func attempt(_ content: Content) throws(SaveError) -> LoadedTree {
        var file = try FileReplacement.begin(editing: path, mode: 0o600, fault: fault)
        let original = try DocumentFile.open(
            path: path, in: file.folder, maximumBytes: maximumBytes, unchangedSince: loaded.identity)
        let written: [UInt8]?
        do throws(SaveError) {
            written = try write(content, from: original, to: &file)
        } catch {
            // The original probably changed while it was copied.
            throw original.isUnchanged() ? error : .changedMeanwhile
        }
        let identity = try file.commit(
            replacing: original, worker: worker, check: written.map { check(of: $0, content: content) })
        worker.close(replaced: original)
        return loaded.saved(as: content, in: identity)
    }

    /// Writes the new content.
    ///
    /// - Returns: the new content, which is still to be checked; nil if it is larger than `mostCheckedBytes`.
    private func write(
        _ content: Content, from original: borrowing DocumentFile, to file: inout FileReplacement
    ) throws(SaveError) -> [UInt8]? {
        let refusals = MemoryBudget.refusals
        var small: [UInt8]? = []
        small?.reserveCapacity(min(original.identity.size + 4_096, Self.mostCheckedBytes))
        do throws(SpliceError<FileReplacementError>) {
            try send(content, replacing: original) { (piece) throws(FileReplacementError) in
                if let count = small?.count, count + piece.count <= Self.mostCheckedBytes {
                    small?.append(copying: piece)
                } else {
                    if let start = small.take() { try file.append(start.span) }
                    try file.append(piece)
                }
            }
            if let small {
                do throws(FileReplacementError) { try file.append(small.span) } catch { throw .sink(error) }
            }
        } catch {
            switch error {
            case .document(let error) where error.isOutOfMemory: throw .outOfMemory
            case .document(let error): throw .failed("the edited document cannot be written: \(error.reason)")
            case .sink(let error): throw SaveError(error)
            }
        }
        // If a buffer could not grow, content is missing.
        guard refusals == MemoryBudget.refusals else { throw .outOfMemory }
        return small
    }

    private func send(
        _ content: Content, replacing original: borrowing DocumentFile,
        to sink: (Span<UInt8>) throws(FileReplacementError) -> Void
    ) throws(SpliceError<FileReplacementError>) {
        switch content {
        case .tree(let document, let draft):
            let splice = DocumentSplice(old: loaded.tree.document, new: document, draft: draft)
            try splice.write(try input(original), syntax: syntax, to: sink)
        case .bytes(let bytes, _): try DocumentOutput.send(bytes.span, to: sink)
        }
    }

    /// The old content. A small file is read into memory, because a splice reads it at many places.
    private func input(_ original: borrowing DocumentFile) throws(SpliceError<FileReplacementError>) -> DocumentInput {
        guard original.identity.size <= Self.mostCheckedBytes else { return original.input }
        do throws(PropertyListError) { return .memory(try original.bytes()) } catch { throw .document(error) }
    }

    /// Makes a check that reads the new content. The check returns nil if the content is read as the edited tree, and
    /// otherwise the reason not to save the content.
    private func check(of bytes: [UInt8], content: Content) -> @Sendable () -> SaveError? {
        let kept = content.kept
        let interpretation = kept == nil ? interpretation : interpretation.asItIs
        return { [syntax, document = content.document] in
            do throws(PropertyListError) {
                let tree = try interpretation.read(.memory(bytes), as: syntax, pool: LevelPool(document, kept: kept))
                if tree.document.hash == document.hash { return nil }
            } catch {
                if error.isOutOfMemory { return .outOfMemory }
                return .failed("the edited document would be refused: \(error.reason)")
            }
            return .failed("the edited document would be read as a different tree")
        }
    }
}

extension DocumentFile {
    /// Opens a file that was read before, to replace it.
    ///
    /// - Throws: `SaveError.changedMeanwhile` if the file has changed or cannot be opened. It must then be read again
    ///   first.
    static func open(
        path: String, in folder: borrowing OpenFolder, maximumBytes: Int, unchangedSince identity: FileIdentity?
    ) throws(SaveError) -> DocumentFile {
        let file: DocumentFile
        do throws(SourceError) {
            file = try open(path: path.lastName, in: folder.descriptor, maximumBytes: maximumBytes)
        } catch {
            throw .changedMeanwhile
        }
        guard let identity, file.identity.isSameContent(as: identity) else { throw .changedMeanwhile }
        return file
    }
}

extension LoadedTree {
    /// The result of a load after an edited tree was saved.
    fileprivate func saved(as content: EditedFile.Content, in identity: FileIdentity) -> LoadedTree {
        var loaded = self
        loaded.tree =
            switch content {
            case .tree(let document, _): tree.edited(to: document)
            case .bytes(_, let new): new.kept == nil ? tree.edited(to: new.document) : new
            }
        loaded.fingerprint = Fingerprint(identity)
        loaded.identity = identity
        return loaded
    }
}
