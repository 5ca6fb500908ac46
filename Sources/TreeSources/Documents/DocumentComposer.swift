internal import Levels
internal import PropertyLists

/// Composes a document from its own file and the files that it mounts. A later composition reads only the changed
/// files.
final class DocumentComposer {
    private let document: PropertyListFile
    let files: PartFiles
    /// The latest composition; nil for a document without parts.
    private(set) var composition: Composition?
    /// The places to which the documents referred at the latest load, in the order of the first references.
    private(set) var places: [PartPlace] = []
    /// The places whose files are part of the latest composition.
    private var served: Set<PartPlace> = []
    /// The places whose files have just become unreadable, with the fingerprints of the files at that time.
    private var suspended: [PartPlace: Fingerprint] = [:]

    init(_ document: PropertyListFile) {
        self.document = document
        files = PartFiles(document.interpretation)
    }

    /// Composes a document with everything that it mounts.
    ///
    /// A served file that becomes unreadable is probably being saved. The first load after that refuses the document.
    /// If the file has not changed by the next load, that load composes the document without the file.
    ///
    /// - Parameters:
    ///   - loaded: the document without its parts.
    ///   - isPatient: whether to refuse the load if a served file has just become unreadable.
    ///   - watch: called with each place before its file is looked at for the first time.
    func compose(
        _ loaded: LoadedTree, isPatient: Bool = true, watch: (PartPlace) -> Void = { _ in }
    ) throws(SourceError) -> LoadedTree {
        guard !loaded.tree.parts.isEmpty else {
            forget()
            return loaded
        }
        files.beginLoad()
        var walk = CompositionWalk(files: files, editor: document.interpretation.editor)
        let new = try walk.composition(
            of: loaded, at: document.path, realPath: RealPath.of(document.path), sharing: composition, watch: watch)
        if isPatient, let refusal = suspend(walk) { throw refusal }
        composition = new
        places = walk.places
        served = Set(places).subtracting(walk.refusals.keys)
        suspended = [:]
        files.keep(only: Set(places))
        var composed = loaded.composed(as: new, more: walk.warnings)
        composed.fingerprint =
            Fingerprint(of: [loaded.fingerprint] + places.map(files.fingerprint)) ?? loaded.fingerprint
        return composed
    }

    /// Records the served files that have become unreadable. Returns the error of the first of these files that is new
    /// in the record, or has changed since the last record; otherwise nil.
    private func suspend(_ walk: CompositionWalk) -> SourceError? {
        var lost: [PartPlace: Fingerprint] = [:]
        for place in walk.refusals.keys where served.contains(place) { lost[place] = files.fingerprint(of: place) }
        let fresh = walk.places.first { lost[$0] != nil && lost[$0] != suspended[$0] }
        suspended = lost
        return fresh.flatMap { walk.refusals[$0] }
    }

    private func forget() {
        (composition, places, served, suspended) = (nil, [], [], [:])
        files.keep(only: [])
    }
}

/// Visits a document and all files that it mounts, and composes them from the innermost outwards. Each file is visited
/// once.
///
/// The walk does not recurse, because mounts may form a long chain.
struct CompositionWalk {
    /// A document on the path from the first document to the current one.
    private struct Visit {
        /// The file of the document; nil for the first document.
        let file: PartFile?
        let key: PartFile.Key
        /// The name for messages to the author.
        let name: String
        let folder: String
        let loaded: LoadedTree
        /// The number of the next reference to follow.
        var next = 0
        var parts: [PartReference: Composition.Part] = [:]
        /// The reference by which the document above mounts this document; nil for the first document.
        let mention: PartMention?
    }

    private let files: PartFiles
    private let editor: TreeEditor
    private var stack: [Visit] = []
    private var done: Set<PartFile.Key> = []
    private var known: Set<PartPlace> = []
    /// The places referred to, in the order of the first references.
    private(set) var places: [PartPlace] = []
    /// The places whose files are not served, with the errors. An error names the file in the author's words.
    private(set) var refusals: [PartPlace: SourceError] = [:]
    private(set) var warnings = PartWarnings()

    init(files: PartFiles, editor: TreeEditor) {
        self.files = files
        self.editor = editor
    }

    /// Composes a document.
    ///
    /// - Parameters:
    ///   - old: the previous composition of the document.
    ///   - watch: called with each place before its file is looked at for the first time.
    /// - Throws: `SourceError` if documents mount each other in a circle, or the composed document breaks a rule.
    mutating func composition(
        of loaded: LoadedTree, at path: String, realPath: String, sharing old: Composition?, watch: (PartPlace) -> Void
    ) throws(SourceError) -> Composition {
        stack = [
            Visit(
                file: nil, key: PartFile.Key(path: realPath, kind: .document), name: path,
                folder: path.folder, loaded: loaded, mention: nil)
        ]
        while true {
            let visit = stack[stack.count - 1]
            if visit.next < visit.loaded.tree.parts.count {
                stack[stack.count - 1].next += 1
                try follow(visit.loaded.tree.parts[visit.next], from: visit, watch)
            } else if let composition = try close(old) {
                return composition
            }
        }
    }

    /// Finds the file of a reference. Visits the file, unless it was visited before.
    private mutating func follow(
        _ mention: PartMention, from visit: Visit, _ watch: (PartPlace) -> Void
    ) throws(SourceError) {
        let place = PartPlace(folder: visit.folder, reference: mention.reference)
        if case .database(let reference) = mention.reference.kind {
            do throws(SourceError) {
                stack[stack.count - 1].parts[mention.reference] = .elsewhere(
                    try files.rows(at: place, reference: reference))
            } catch {
                refuse(mention, at: place, in: visit.name, error: error)
            }
            return
        }
        if known.insert(place).inserted {
            places.append(place)
            watch(place)
        }
        let name = Self.name(of: mention.reference, besides: visit.name)
        let file: PartFile
        let loaded: LoadedTree
        do throws(SourceError) {
            file = try files.file(at: place, named: name)
            loaded = try file.document()
        } catch {
            // If memory was refused, the file may be fine. So the whole load fails, and a later load tries again.
            if error.isOutOfMemory { throw error }
            return refuse(mention, at: place, in: visit.name, error: error)
        }
        if done.contains(file.key), let composition = file.composition {
            stack[stack.count - 1].parts[mention.reference] = .composed(composition)
            return
        }
        if let first = stack.firstIndex(where: { $0.key == file.key }) {
            throw PartRefusal.cycle(stack[first...].map(\.name) + [stack[first].name], at: mention, in: visit.name)
        }
        guard stack.count <= editor.limits.depth else {
            throw SourceError(visit.name, reason: "\(TreeError.tooDeep(limit: editor.limits.depth))")
        }
        stack.append(
            Visit(
                file: file, key: file.key, name: file.name, folder: file.folder, loaded: loaded, mention: mention))
    }

    /// The name of a part, for messages to the author.
    private static func name(of reference: PartReference, besides name: String) -> String {
        let folder = name.folder
        return folder == "." && !name.hasPrefix("./") ? reference.path : "\(folder)/\(reference.path)"
    }

    private mutating func refuse(_ mention: PartMention, at place: PartPlace, in file: String, error: SourceError) {
        // Clients see the file's name as the document writes it.
        let shown = SourceError(place.shownName, reason: error.reason, at: error.position, path: error.path)
        stack[stack.count - 1].parts[mention.reference] = .refused(shown.description)
        refusals[place] = SourceError(
            Self.name(of: mention.reference, besides: file), reason: error.reason, at: error.position, path: error.path)
        warnings.add(error, at: mention, in: file)
    }

    /// Composes the innermost open document. Returns the composition if that document is the first one, otherwise nil.
    private mutating func close(_ old: Composition?) throws(SourceError) -> Composition? {
        let visit = stack.removeLast()
        let earlier = visit.file == nil ? old : visit.file?.composition
        let new = try Self.made(
            visit.loaded.tree.document, parts: visit.parts, editor: editor, old: earlier, named: visit.name)
        guard let file = visit.file, let mention = visit.mention else { return new }
        warnings.add(visit.loaded)
        file.composition = new
        done.insert(file.key)
        stack[stack.count - 1].parts[mention.reference] = .composed(new)
        return nil
    }

    private static func made(
        _ source: Level, parts: [PartReference: Composition.Part], editor: TreeEditor, old: Composition?,
        named name: String
    ) throws(SourceError) -> Composition {
        if let old, old.isMade(of: source, parts: parts) { return old }
        do throws(TreeError) {
            return try Composition(
                source: source, parts: parts, names: editor.names, limits: editor.limits, sharing: old)
        } catch {
            throw SourceError(name, reason: error.description)
        }
    }
}
