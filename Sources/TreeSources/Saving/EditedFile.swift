internal import Glibc
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
    /// Makes steps of a save fail in tests.
    var fault: FileReplacement.Fault = { _ in nil }

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

    /// A larger document is not read again before it replaces the old one.
    private static let mostCheckedBytes = 256 << 10

    /// Replaces the file's content, and returns when it is on disk.
    ///
    /// - Returns: what a load of the file gives now.
    /// - Throws: `SaveError`; the file is as it was.
    func save(_ content: Content) throws(SaveError) -> LoadedTree {
        guard let target = RealPath.existing(path) else { throw .changedMeanwhile }
        let original = try DocumentFile.open(path: target, maximumBytes: maximumBytes, unchangedSince: loaded.identity)
        var file = try begin(target)
        do throws(SaveError) {
            try write(content, from: original, to: &file)
            // The disk works while the content is checked.
            file.startWriting()
            try check(file, content.document)
        } catch {
            // Probably it changed while it was copied.
            throw original.isUnchanged() ? error : .changedMeanwhile
        }
        let identity = try file.commit(replacing: original)
        return loaded.saved(as: content.document, in: identity)
    }

    private func begin(_ target: String) throws(SaveError) -> FileReplacement {
        do throws(FileReplacementError) {
            return try FileReplacement.begin(
                of: target, through: FileReplacement.editPath(of: target), mode: .fixed(0o600), fault: fault)
        } catch {
            throw SaveError(error)
        }
    }

    private func write(
        _ content: Content, from original: borrowing DocumentFile, to file: inout FileReplacement
    ) throws(SaveError) {
        do throws(SpliceError<FileReplacementError>) {
            switch content {
            case .tree(let document, let provenance):
                let splice = DocumentSplice(
                    old: loaded.tree.document, new: document, provenance: provenance)
                try splice.write(original.input, syntax: loaded.syntax) {
                    (piece) throws(FileReplacementError) in try file.append(piece)
                }
            case .bytes(let bytes, _):
                do throws(FileReplacementError) {
                    try file.append(bytes.span)
                } catch {
                    throw .sink(error)
                }
            }
        } catch {
            switch error {
            case .document(let error): throw .failed("the edited document cannot be written: \(error.reason)")
            case .sink(let error): throw SaveError(error)
            }
        }
    }

    /// Reads a small document back, so that nothing is saved that would be read as another tree.
    private func check(_ file: borrowing FileReplacement, _ document: Level) throws(SaveError) {
        let identity = FileIdentity(ofOpen: file.descriptor)
        guard identity.size <= Self.mostCheckedBytes else { return }
        do throws(PropertyListError) {
            let input = DocumentInput.file(descriptor: file.descriptor, size: identity.size)
            let tree = try interpretation.readOrAdvise(input, as: loaded.syntax, pool: LevelPool(document))
            if tree.document.hash == document.hash { return }
        } catch {
            throw .failed("the edited document would be refused: \(error.reason)")
        }
        throw .failed("the edited document would be read as another tree")
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
