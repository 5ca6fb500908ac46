internal import Levels
internal import Threads

/// Watches a document's file and all files that it mounts, and composes the document of them.
final class DocumentWatcher: SourceWatcher {
    let document: PropertyListFile
    let shared: WatchedFiles
    let own: FileWatcher
    /// The document alone, as it was read or saved last.
    var latest: LoadedTree?
    /// The state in which the document was saved, until its new file is watched.
    var unsettled: FileIdentity?
    /// The state of all files when they were read or saved last.
    var state: Fingerprint?
    /// Makes steps of a save fail in tests.
    let fault: FileReplacement.Fault
    var parts = WatcherGroup<PartPlace>()
    let composer: DocumentComposer
    /// The document alone, as it was read last; nil if it has no parts.
    var loaded: LoadedTree?
    /// The places that have changed since they were armed.
    private var changed: Set<PartPlace> = []
    /// Whether the next load was asked for, and so takes the files as they are.
    private var isRequested = false

    /// - Parameters:
    ///   - document: its file need not exist.
    ///   - files: what all watchers of the thread share.
    ///   - fault: makes steps of a save fail in tests.
    init(
        _ document: PropertyListFile, sharing files: WatchedFiles,
        fault: @escaping FileReplacement.Fault = { _, _ in nil }
    ) {
        self.document = document
        self.fault = fault
        shared = files
        own = FileWatcher(document, sharing: files)
        composer = DocumentComposer(document)
    }

    func arm() {
        own.arm()
        for place in changed { parts[place]?.arm() }
        changed = []
    }

    func refresh() -> Bool {
        arm()
        for place in composer.places { composer.files.doubt(place) }
        isRequested = true
        return true
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        if state == nil { FileReplacement.removeRemains(ofEdited: document.path) }
        let isPatient = !isRequested
        isRequested = false
        let alone = try loadAlone(replacing: old, again: !isPatient)
        loaded = alone.tree.parts.isEmpty ? nil : alone
        latest = alone
        let composed = try shared.usingReserve { () throws(SourceError) in
            try composer.compose(alone, isPatient: isPatient) { watch($0) }
        }
        endWatches()
        state = composed.fingerprint
        return composed
    }

    /// Watches no places any more that the document does not refer to.
    func endWatches() {
        let places = Set(composer.places)
        for place in parts.parts where !places.contains(place) { parts[place] = nil }
    }

    /// The document's own file, read again only if it may have changed.
    private func loadAlone(replacing old: Level?, again: Bool) throws(SourceError) -> LoadedTree {
        if !again, let loaded, own.fingerprint == loaded.fingerprint { return loaded }
        return try own.load(replacing: loaded?.tree.document ?? old)
    }

    /// Watches a place from now on.
    func watch(_ place: PartPlace) {
        guard parts[place] == nil, !place.isImpossible else { return }
        FileReplacement.removeRemains(ofEdited: place.path)
        let file = PropertyListFile(path: place.path, pollInterval: document.pollInterval)
        let watcher = FileWatcher(file, sharing: shared)
        watcher.arm()
        parts[place] = watcher
    }

    var fingerprint: Fingerprint? {
        guard !composer.places.isEmpty else { return own.fingerprint }
        return Fingerprint(of: [own.fingerprint] + composer.places.map { parts[$0]?.fingerprint ?? .missing })
    }

    func savability(at path: ItemPath) -> Savability {
        guard let composition = composer.composition, case .found(let item) = Item.find(path, in: composition.document)
        else { return own.savability(at: path) }
        let origin = composition.origin(of: item).file
        guard let file = composer.files.file(of: origin) else { return own.savability(at: path) }
        return PropertyListFile(path: file.key.path).savability
    }

    func addWaits(to waits: inout WaitSet) {
        own.addWaits(to: &waits)
        parts.addWaits(to: &waits)
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let report = own.advance(at: now)
        let reports = parts.advance(at: now)
        for report in reports {
            changed.insert(report.part)
            composer.files.doubt(report.part)
        }
        return report ?? reports.first?.report
    }
}
