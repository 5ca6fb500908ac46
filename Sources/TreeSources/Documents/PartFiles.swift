internal import Files
internal import Glibc
internal import Levels
internal import PropertyLists

/// The files that a document mounts. A file is opened when a document refers to it, and is read again only after a
/// change.
final class PartFiles {
    /// The result of the last look at a place's file.
    private struct Sight {
        /// The identity of the file; nil if the file did not exist.
        let identity: FileIdentity?
        let outcome: Result<PartFile, SourceError>

        var file: PartFile? { if case .success(let file) = outcome { file } else { nil } }
    }

    private var interpretation: Interpretation
    private var files: [PartFile.Key: PartFile] = [:]
    private var sights: [PartPlace: Sight] = [:]
    private var databases: [PartFile.Key: any RowsElsewhere] = [:]
    /// The databases that the document named in the current load.
    private var namedDatabases: Set<PartFile.Key> = []
    /// The places whose files must be opened again, although they look unchanged.
    private(set) var doubtful: Set<PartPlace> = []
    /// The sum of the hashes of all sights; as good as a fingerprint of all files.
    private var state = 0
    /// The files by their compositions, and the syntaxes of the files.
    private(set) var byComposition: [ObjectIdentifier: PartFile] = [:]
    private(set) var syntaxes: [ObjectIdentifier: PropertyListSyntax] = [:]
    /// Limits the similar names in the messages of this load.
    private var suggestions = SuggestionLimit()
    /// The number of times that a file was read.
    private(set) var reads = 0

    init(_ interpretation: Interpretation) {
        self.interpretation = interpretation
        // For a part that is a table, the options are in the reference to the part.
        self.interpretation.records = nil
    }

    /// Forgets which databases the document named in the previous load, and allows suggestions again.
    func beginLoad() {
        suggestions = SuggestionLimit()
        namedDatabases = []
    }

    /// Returns the rows of the database at a place. The database stays open while the document names it.
    ///
    /// - Throws: `SourceError` if the database cannot or must not be read. The error names the database as the document
    ///   does.
    func rows(at place: PartPlace, reference: DatabaseReference) throws(SourceError) -> any RowsElsewhere {
        let address = place.reference.path
        guard place.isOfFile || address.hasPrefix("postgres"), let open = interpretation.openDatabase else {
            throw PartRefusal.foreignDatabase(address)
        }
        let path = place.isOfFile ? try OpenPart.path(to: place, suggestions: &suggestions) : nil
        let key = PartFile.Key(path: path ?? address, kind: place.reference.kind)
        namedDatabases.insert(key)
        if let known = databases[key] { return known }
        let rows = try open(path, address, reference)
        databases[key] = rows
        return rows
    }

    /// The rows in databases to which other programs may commit, by the databases' file paths or addresses.
    var databaseRows: [String: any DatabaseRows] {
        var found: [String: any DatabaseRows] = [:]
        for (key, rows) in databases { found[key.path] = rows as? any DatabaseRows }
        return found
    }

    /// Makes the next load open a place's file again, even if it looks unchanged.
    func doubt(_ place: PartPlace) { doubtful.insert(place) }

    /// The fingerprint of a place's file at the last look.
    func fingerprint(of place: PartPlace) -> Fingerprint {
        sights[place]?.identity.map(Fingerprint.init) ?? .missing
    }

    /// The fingerprint of all files at the last looks; nil if a file is doubtful.
    var fingerprint: Fingerprint? {
        doubtful.isEmpty ? Fingerprint([UInt64(truncatingIfNeeded: state)]) : nil
    }

    /// The file at a place at the last look; nil if it could not be read.
    func knownFile(at place: PartPlace) -> PartFile? { sights[place]?.file }

    private func see(_ sight: Sight?, at place: PartPlace) {
        if let old = sights[place] {
            state &-= Self.hash(of: old.identity, at: place)
            old.file?.places.remove(place)
        }
        sights[place] = sight
        guard let sight else { return }
        state &+= Self.hash(of: sight.identity, at: place)
        sight.file?.places.insert(place)
    }

    private static func hash(of identity: FileIdentity?, at place: PartPlace) -> Int {
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(identity)
        return hasher.finalize()
    }

    /// Returns the file at a place.
    ///
    /// - Parameter name: the name of the file in messages to the author.
    /// - Throws: `SourceError` if the file cannot or must not be read. The error names the file as the document does.
    func file(at place: PartPlace, named name: String) throws(SourceError) -> PartFile {
        if let sight = sights[place], !doubtful.contains(place), place.isImpossible || isUnchanged(sight, at: place) {
            return try sight.outcome.get()
        }
        doubtful.remove(place)
        var identity = place.isImpossible ? nil : FileIdentity(path: place.path)
        let outcome: Result<PartFile, SourceError>
        do throws(SourceError) {
            let (file, state) = try open(place, named: name)
            identity = state
            outcome = .success(file)
        } catch {
            outcome = .failure(error)
        }
        see(Sight(identity: identity, outcome: outcome), at: place)
        return try outcome.get()
    }

    private func isUnchanged(_ sight: Sight, at place: PartPlace) -> Bool {
        guard FileIdentity(path: place.path) == sight.identity else { return false }
        // A file that exists but could not be opened may be readable now, for example if descriptors were scarce
        // before.
        guard case .success(let file) = sight.outcome else { return sight.identity == nil }
        // The file may have been read again through another place.
        return file.identity == sight.identity
    }

    private func open(_ place: PartPlace, named name: String) throws(SourceError) -> (PartFile, FileIdentity) {
        for _ in 0..<FileRefusal.attempts {
            let opened = try OpenPart(
                place: place, maximumBytes: interpretation.maximumBytes, suggestions: &suggestions)
            let key = PartFile.Key(path: opened.path, kind: place.reference.kind)
            let file = files[key] ?? PartFile(key: key, named: name)
            files[key] = file
            let state = opened.file.identity
            if file.identity == state { return (file, state) }
            reads += 1
            let result = file.read(opened.file, by: interpretation)
            guard opened.file.isUnchanged() else { continue }
            file.take(result, in: state)
            return (file, state)
        }
        throw FileRefusal.changing(place.reference.path)
    }

    /// Forgets the places and files to which no document refers any longer.
    func keep(only places: Set<PartPlace>) {
        for place in sights.keys where !places.contains(place) { see(nil, at: place) }
        doubtful.formIntersection(places)
        files = files.filter { !$0.value.places.isEmpty }
        (byComposition, syntaxes) = ([:], [:])
        for file in files.values { if let composition = file.composition { adopt(composition, of: file) } }
        databases = databases.filter { namedDatabases.contains($0.key) }
        namedDatabases = []
    }

    /// Adopts the content that was saved to a mounted file.
    ///
    /// - Returns: the places that lead to the file.
    func take(_ saved: LoadedTree, of file: PartFile) -> [PartPlace] {
        guard let identity = saved.identity else { return [] }
        file.take(.success(saved), in: identity)
        for place in file.places { see(Sight(identity: identity, outcome: .success(file)), at: place) }
        return Array(file.places)
    }

    /// Replaces the composition of a file.
    func adopt(_ composition: Composition, of file: PartFile) {
        if let old = file.composition {
            byComposition[ObjectIdentifier(old)] = nil
            syntaxes[ObjectIdentifier(old)] = nil
        }
        file.composition = composition
        byComposition[ObjectIdentifier(composition)] = file
        syntaxes[ObjectIdentifier(composition)] = file.known?.syntax
    }

    /// The file of a composition; nil for the document's own file.
    func file(of composition: Composition) -> PartFile? { byComposition[ObjectIdentifier(composition)] }
}

/// A file that documents refer to, and its content.
final class PartFile {
    /// The identity of a part. A file to which several documents refer is read once.
    struct Key: Hashable {
        /// The path without symbolic links.
        let path: String
        let kind: PartReference.Kind
    }

    let key: Key
    /// The name for messages to the author.
    let name: String
    /// The identity of the file when it was read; nil if the file must be read.
    private(set) var identity: FileIdentity?
    private var loaded: Result<LoadedTree, SourceError>?
    /// The places that lead to the file.
    var places: Set<PartPlace> = []
    /// The file's document with its parts; nil before the document is composed.
    var composition: Composition?

    init(key: Key, named name: String) {
        self.key = key
        self.name = name
    }

    /// The folder to which the references in this file are relative.
    var folder: String { key.path.folder }

    /// Returns the file's document without its parts.
    ///
    /// - Throws: `SourceError` if the file could not be read.
    func document() throws(SourceError) -> LoadedTree {
        guard let loaded else { throw SourceError(name, reason: "the file was not read") }
        return try loaded.get()
    }

    /// The loaded content; nil if the file could not be read.
    var known: LoadedTree? { if case .success(let loaded) = loaded { loaded } else { nil } }

    /// The tree whose equal levels the next load shares.
    private var tree: Level? { known?.tree.document }

    /// Adopts the result of reading the file.
    func take(_ result: Result<LoadedTree, SourceError>, in state: FileIdentity) {
        (loaded, identity) = (result, state)
        // If memory was refused, the file is read again at the next load.
        if case .failure(let error) = result, error.isOutOfMemory { identity = nil }
    }

    /// Reads an open file.
    func read(_ file: borrowing DocumentFile, by interpretation: Interpretation) -> Result<LoadedTree, SourceError> {
        do throws(SourceError) {
            let pool = tree.map { LevelPool($0) }
            switch key.kind {
            case .document: return .success(try interpretation.load(file, named: name, pool: pool))
            case .database: return .failure(PartRefusal.foreignDatabase(name))
            case .records(let drilling):
                return .success(try interpretation.load(file, named: name, drilledBy: drilling, pool: pool))
            }
        } catch {
            return .failure(error)
        }
    }
}
