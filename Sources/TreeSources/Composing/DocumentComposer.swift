internal import Levels

/// Composes the document of a file with all that it mounts, again and again, and reads only what changed.
final class DocumentComposer {
    private let document: PropertyListFile
    let files: PartFiles
    /// What the latest load composed; nil for a document without parts.
    private(set) var composition: Composition?
    /// The places that the latest load looked at, in order.
    private(set) var places: [PartPlace] = []
    /// Those of them whose files are served.
    private var served: Set<PartPlace> = []
    /// The places whose files have just become unreadable, and their state then.
    private var suspended: [PartPlace: Fingerprint] = [:]

    init(_ document: PropertyListFile) {
        self.document = document
        files = PartFiles(document.interpretation, maximumBytes: document.maximumBytes)
    }

    /// Puts everything that a document mounts in its place.
    ///
    /// A file that was served and can no longer be read is probably being saved: the first load that finds it so is
    /// refused, and the next one, if nothing has changed since, composes the document without it.
    ///
    /// - Parameters:
    ///   - loaded: the document alone.
    ///   - isPatient: whether files that are being saved refuse the load.
    ///   - watch: called before a place is looked at for the first time.
    func compose(
        _ loaded: LoadedTree, isPatient: Bool = true, watch: (PartPlace) -> Void = { _ in }
    ) throws(SourceError) -> LoadedTree {
        guard !loaded.tree.parts.isEmpty else {
            forget()
            return loaded
        }
        files.beginLoad()
        var walk = CompositionWalk(files, document.interpretation.editor)
        let new = try walk.composition(
            of: loaded, at: document.path, realPath: RealPath.of(document.path), sharing: composition, watch: watch)
        if isPatient, let refusal = suspend(walk) { throw refusal }
        composition = new
        places = walk.places
        served = Set(places).subtracting(walk.refusals.keys)
        suspended = [:]
        files.keep(only: Set(places))
        var composed = loaded.composed(as: new, walk.warnings)
        composed.fingerprint =
            Fingerprint(of: [loaded.fingerprint] + places.map(files.fingerprint)) ?? loaded.fingerprint
        return composed
    }

    /// Notes the files that can no longer be read; returns why the load must wait, if it must.
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
