internal import Levels
internal import PropertyLists

/// Composes a document from its own file and the files that it mounts. A later composition reads only the changed
/// files.
final class DocumentComposer {
    private let document: PropertyListFile
    let files: PartFiles
    /// The latest composition; nil for a document without parts.
    private(set) var composition: Composition?
    /// Whether the composition has the files as they were at the last look.
    private var isCurrent = false
    /// The places to which the documents referred at the latest load, in the order of the first references.
    private(set) var places: [PartPlace] = []
    /// The places whose files are part of the latest composition.
    private var served: Set<PartPlace> = []
    /// The warnings about the parts of the latest composition.
    private var warnings = PartWarnings()
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
        isCurrent = false
        files.beginLoad()
        var walk = CompositionWalk(files: files, interpretation: document.interpretation)
        let new = try walk.composition(
            of: loaded, at: document.path, realPath: RealPath.of(document.path), sharing: composition, watch: watch)
        if isPatient, let refusal = suspend(walk) { throw refusal }
        places = walk.places
        served = Set(places).subtracting(walk.refusals.keys)
        suspended = [:]
        warnings = walk.warnings
        files.keep(only: Set(places))
        return composed(loaded, as: new)
    }

    private func composed(_ loaded: LoadedTree, as new: Composition) -> LoadedTree {
        (composition, isCurrent) = (new, true)
        var composed = loaded.composed(as: new, more: warnings)
        composed.fingerprint = Fingerprint(of: [loaded.fingerprint, files.fingerprint]) ?? loaded.fingerprint
        return composed
    }

    /// Composes a document again, and looks at no other file than one that has changed.
    ///
    /// - Parameters:
    ///   - loaded: the document without its parts.
    ///   - saved: a file that was saved; nil to read the doubtful file again, if any.
    ///   - edited: the compositions that edits have made before the save, with the compositions that they replace; not used
    ///     unless they replace the latest composition.
    /// - Returns: nil if `compose` must look at all files, because the change may concern references or warnings.
    func recompose(
        _ loaded: LoadedTree, saved: PartFile? = nil, as edited: [(old: Composition, new: Composition)] = []
    ) -> LoadedTree? {
        guard let old = composition, isCurrent, loaded.refersToSameParts(as: old),
            files.doubtful.count < (saved == nil ? 2 : 1)
        else { return nil }
        let (names, limits) = (document.interpretation.names, document.interpretation.treeLimits)
        do {
            // If the root is another one, parts of it may be others, too.
            var made = edited.contains { $0.old === old } ? edited : []
            var changed = saved
            if let place = files.doubtful.first {
                guard let known = files.knownFile(at: place), known.known?.hasWarnings == false,
                    try files.file(at: place, named: known.name) === known
                else { return nil }
                changed = known
            }
            if let changed, let before = changed.composition {
                guard let new = changed.known, !new.hasWarnings, new.refersToSameParts(as: before) else { return nil }
                if made.first(where: { $0.old === before })?.new.source !== new.tree.document {
                    made = try Recomposition(
                        of: old, replacing: before, with: new.tree.document, names: names, limits: limits
                    ).made
                }
            }
            var new = made.first { $0.old === old }?.new ?? old
            for (old, new) in made {
                if let file = files.file(of: old) { files.adopt(new, of: file) }
            }
            if new.source !== loaded.tree.document {
                new = try Composition(
                    source: loaded.tree.document, parts: new.parts, names: names, limits: limits,
                    sharing: new)
            }
            return composed(loaded, as: new)
        } catch {
            // The complete composition reports the error, with its file.
            return nil
        }
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

extension LoadedTree {
    fileprivate var hasWarnings: Bool { !warnings.isEmpty || omittedWarnings > 0 }

    /// Whether the document refers to the parts of a composition, which can all be read.
    fileprivate func refersToSameParts(as composition: Composition) -> Bool {
        if tree.document === composition.source { return true }
        let isComplete = composition.parts.values.allSatisfy { if case .refused = $0 { false } else { true } }
        return isComplete && Set(tree.parts.map(\.reference)) == Set(composition.parts.keys)
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
    private let interpretation: Interpretation
    private var stack: [Visit] = []
    private var done: Set<PartFile.Key> = []
    private var known: Set<PartPlace> = []
    /// The places referred to, in the order of the first references.
    private(set) var places: [PartPlace] = []
    /// The places whose files are not served, with the errors. An error names the file in the author's words.
    private(set) var refusals: [PartPlace: SourceError] = [:]
    private(set) var warnings = PartWarnings()

    init(files: PartFiles, interpretation: Interpretation) {
        self.files = files
        self.interpretation = interpretation
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
        guard stack.count <= interpretation.treeLimits.depth else {
            throw SourceError(visit.name, reason: "\(TreeError.tooDeep(limit: interpretation.treeLimits.depth))")
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
        let new = try made(visit.loaded.tree.document, parts: visit.parts, old: earlier, named: visit.name)
        guard let file = visit.file, let mention = visit.mention else { return new }
        warnings.add(visit.loaded)
        file.composition = new
        done.insert(file.key)
        stack[stack.count - 1].parts[mention.reference] = .composed(new)
        return nil
    }

    private func made(
        _ source: Level, parts: [PartReference: Composition.Part], old: Composition?, named name: String
    ) throws(SourceError) -> Composition {
        if let old, old.isMade(of: source, parts: parts) { return old }
        do throws(TreeError) {
            return try Composition(
                source: source, parts: parts, names: interpretation.names, limits: interpretation.treeLimits,
                sharing: old)
        } catch {
            throw SourceError(name, reason: error.description)
        }
    }
}
