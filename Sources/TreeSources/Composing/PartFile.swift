internal import Files
internal import Glibc
internal import Levels
internal import PropertyLists

/// A file that documents refer to, and what was read from it.
final class PartFile {
    /// Which file it is, and how it is read: one that several documents refer to is read once.
    struct Key: Hashable {
        /// The path without symbolic links.
        let path: String
        let kind: PartReference.Kind
    }

    let key: Key
    /// The name for messages to the author.
    let name: String
    /// The state in which it was read.
    private(set) var identity: FileIdentity?
    private var loaded: Result<LoadedTree, SourceError>?
    /// The document with them, and what is below it.
    var composition: Composition?

    init(_ key: Key, named name: String) {
        self.key = key
        self.name = name
    }

    /// Where its own references begin.
    var folder: String { PartPlace.folder(of: key.path) }

    /// The document without the parts it refers to.
    ///
    /// - Throws: `SourceError` if the file could not be read.
    func document() throws(SourceError) -> LoadedTree {
        guard let loaded else { throw SourceError(name, "the file was not read") }
        return try loaded.get()
    }

    /// What was read last; nil if that failed.
    var known: LoadedTree? { if case .success(let loaded) = loaded { loaded } else { nil } }

    /// The tree that is known, for the next load to share.
    private var tree: Level? { known?.tree.document }

    /// Takes over what was read.
    func take(_ result: Result<LoadedTree, SourceError>, in state: FileIdentity) {
        (loaded, identity) = (result, state)
        // It is read again when there may be memory.
        if case .failure(let error) = result, error.isOutOfMemory { identity = nil }
    }

    /// Reads an open file.
    func read(_ file: borrowing DocumentFile, by interpretation: Interpretation) -> Result<LoadedTree, SourceError> {
        do throws(SourceError) {
            let pool = tree.map(LevelPool.init)
            switch key.kind {
            case .document: return .success(try interpretation.load(file, named: name, pool: pool))
            case .records(let drilling):
                return .success(try interpretation.load(file, named: name, drilledBy: drilling, pool: pool))
            }
        } catch {
            return .failure(error)
        }
    }
}
