internal import Bytes
internal import Files
internal import Glibc
internal import Heap
internal import Levels
internal import PropertyLists

/// A file of a document that is being edited: what was read from it, and how it is saved.
struct EditedFile {
    /// The path as the document's author knows it; symbolic links are followed.
    let path: String
    let maximumBytes: Int
    let interpretation: Interpretation
    /// What was read from it.
    let loaded: LoadedTree
    let syntax: PropertyListSyntax
    let worker: SaveWorker
    /// Makes steps of a save fail in tests.
    var fault: FileReplacement.Fault = { _, _ in nil }

    /// What the file becomes.
    enum Content {
        /// An edited tree, and where its rows come from; the level whose one row is the root item.
        case tree(Level, Provenance)
        /// A document of the file's syntax that was read to this tree.
        case bytes([UInt8], Tree)

        fileprivate var document: Level {
            switch self {
            case .tree(let document, _): document
            case .bytes(_, let tree): tree.document
            }
        }
    }

    /// A larger document is not held in memory, and not read again before it replaces the old one.
    private static let mostCheckedBytes = 256 << 10

    /// Replaces the file's content, and returns when it is on disk.
    ///
    /// - Returns: what a load of the file gives now.
    /// - Throws: `SaveError`; the file is as it was.
    func save(_ content: Content) throws(SaveError) -> LoadedTree {
        // A file that an earlier save has replaced has its space until it is closed.
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
        guard let target = RealPath.existing(path) else { throw .changedMeanwhile }
        let original = try DocumentFile.open(path: target, maximumBytes: maximumBytes, unchangedSince: loaded.identity)
        var file = try begin(target)
        let written: [UInt8]?
        do throws(SaveError) {
            written = try write(content, from: original, to: &file)
        } catch {
            // Probably it changed while it was copied.
            throw original.isUnchanged() ? error : .changedMeanwhile
        }
        let identity = try file.commit(
            replacing: original, worker, check: written.map { check(of: $0, content.document) })
        worker.close(replaced: original)
        return loaded.saved(as: content.document, in: identity)
    }

    private func begin(_ target: String) throws(SaveError) -> FileReplacement {
        do throws(FileReplacementError) {
            let aside = FileReplacement.editPath(of: target)
            return try FileReplacement.begin(
                of: target, through: aside, mode: 0o600, fault: fault)
        } catch {
            throw SaveError(error)
        }
    }

    /// Writes the new content.
    ///
    /// - Returns: what was written if it is small, to be checked; nil otherwise.
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
        // A buffer that could not grow lacks what was to be written.
        guard refusals == MemoryBudget.refusals else { throw .outOfMemory }
        return small
    }

    private func send(
        _ content: Content, replacing original: borrowing DocumentFile,
        to sink: (Span<UInt8>) throws(FileReplacementError) -> Void
    ) throws(SpliceError<FileReplacementError>) {
        switch content {
        case .tree(let document, let provenance):
            let splice = DocumentSplice(old: loaded.tree.document, new: document, provenance: provenance)
            try splice.write(try input(original), syntax: syntax, to: sink)
        case .bytes(let bytes, _): try DocumentOutput.send(bytes.span, to: sink)
        }
    }

    /// The old content, in memory if it is small: a splice looks at many places.
    private func input(_ original: borrowing DocumentFile) throws(SpliceError<FileReplacementError>) -> DocumentInput {
        guard original.identity.size <= Self.mostCheckedBytes else { return original.input }
        do throws(PropertyListError) { return .memory(try original.bytes()) } catch { throw .document(error) }
    }

    /// A check that reads a new content, and returns why it must not be saved, or nil if it is read as the edited tree.
    private func check(of bytes: [UInt8], _ document: Level) -> @Sendable () -> SaveError? {
        { [interpretation, syntax] in
            do throws(PropertyListError) {
                let tree = try interpretation.readOrAdvise(.memory(bytes), as: syntax, pool: LevelPool(document))
                if tree.document.hash == document.hash { return nil }
            } catch {
                if error.isOutOfMemory { return .outOfMemory }
                return .failed("the edited document would be refused: \(error.reason)")
            }
            return .failed("the edited document would be read as another tree")
        }
    }
}

extension DocumentFile {
    /// Opens a file that was read before, to be replaced.
    ///
    /// - Throws: `SaveError.changedMeanwhile` if it is another one now, or cannot be opened: it must be read again first.
    static func open(
        path: String, maximumBytes: Int, unchangedSince identity: FileIdentity?
    ) throws(SaveError) -> DocumentFile {
        let file: DocumentFile
        do throws(SourceError) {
            file = try open(path: path, maximumBytes: maximumBytes)
        } catch {
            throw .changedMeanwhile
        }
        guard let identity, file.identity.isSameContent(as: identity) else { throw .changedMeanwhile }
        return file
    }
}

extension LoadedTree {
    /// What a load gives after an edited tree was saved.
    fileprivate func saved(as document: Level, in identity: FileIdentity) -> LoadedTree {
        var loaded = self
        loaded.tree = tree.edited(to: document)
        loaded.fingerprint = Fingerprint(identity)
        loaded.identity = identity
        return loaded
    }
}
