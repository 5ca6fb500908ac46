internal import Files
internal import Levels
internal import PropertyLists
internal import Threads

/// Watches a document's file and all files that it mounts, and composes the document.
final class DocumentWatcher: SourceWatcher {
    let document: PropertyListFile
    let shared: WatchedFiles
    private let own: FileWatcher
    /// The document's own file, as last read or saved; nil before the first load, and if the file must be read again.
    var latest: LoadedTree?
    /// The identity of a saved file that is not watched yet.
    var unsettled: FileIdentity?
    /// The fingerprint of all files when they were last read or saved; nil before the first load, and if the files must
    /// be read again.
    var state: Fingerprint?
    /// Makes steps of a save fail in tests.
    let fault: FileReplacement.Fault
    /// Nil unless the document is a settings page or has a values document.
    private var pages: PageWatcher?
    /// The watchers of the mounted files.
    var parts: [PartPlace: FileWatcher] = [:]
    /// The watchers of the databases that items name, by the paths of the databases' files or by their addresses.
    private var databases: [String: any CommitWatcher] = [:]
    /// Whether other programs have committed to a database since `advance` last reported a commit.
    private var hasCommit = false
    let composer: DocumentComposer
    /// Whether the document's own file must be read again, even if it looks unchanged.
    private var isOwnDoubtful = false
    /// Whether a client has requested the next load. Such a load takes the files as they are, even if a save seems to
    /// run.
    private var isRequested = false

    /// - Parameters:
    ///   - document: the document to watch; its file need not exist.
    ///   - fault: makes steps of a save fail in tests.
    init(document: PropertyListFile, fault: @escaping FileReplacement.Fault = { _, _ in nil }) {
        self.document = document
        self.fault = fault
        shared = WatchedFiles(every: document.pollInterval)
        own = FileWatcher(path: document.path, sharing: shared)
        composer = DocumentComposer(document)
        if document.values != nil { pages = makePages() }
    }

    private func makePages() -> PageWatcher { PageWatcher(pages: document.pages, sharing: shared) }

    func refresh() -> Bool {
        _ = shared.takeChanged(at: .now, looksAtAll: true)
        doubtParts { _ in true }
        isRequested = true
        return true
    }

    private func doubtParts(where mayHaveChanged: (FileWatcher) -> Bool) {
        for (place, watcher) in parts where mayHaveChanged(watcher) { composer.files.doubt(place) }
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        if state == nil { FileReplacement.removeRemains(ofEdited: document.path) }
        let isPatient = !isRequested
        isRequested = false
        let alone = try loadAlone(replacing: old, again: !isPatient || isOwnDoubtful)
        (latest, isOwnDoubtful) = (alone, false)
        let composed = try compose(alone, isPatient: isPatient)
        watchDatabases()
        state = composed.fingerprint
        return try loadPages(of: composed)
    }

    private func compose(_ alone: LoadedTree, isPatient: Bool) throws(SourceError) -> LoadedTree {
        if isPatient, let composed = composer.recompose(alone) { return composed }
        let composed = try composer.compose(alone, isPatient: isPatient) { watch($0) }
        endWatches()
        return composed
    }

    /// Adds the child pages, strings and values to a settings page; returns any other document as it is.
    private func loadPages(of composed: LoadedTree) throws(SourceError) -> LoadedTree {
        guard pages != nil || SettingsPage(composed.tree) != nil else { return composed }
        let pages = pages ?? makePages()
        let loaded = try pages.load(composed)
        self.pages = pages.page == nil && document.values == nil ? nil : pages
        return loaded
    }

    /// Stops watching places that the document no longer refers to.
    func endWatches() {
        let places = Set(composer.places)
        parts = parts.filter { places.contains($0.key) }
    }

    /// Watches the databases that the document names.
    private func watchDatabases() {
        let rows = composer.files.databaseRows
        databases = databases.filter { rows[$0.key] != nil }
        for (path, rows) in rows where databases[path] == nil { databases[path] = rows.makeWatcher() }
    }

    /// Returns the document's own file. Reads the file if its fingerprint has changed, or if `again` is true.
    private func loadAlone(replacing old: Level?, again: Bool) throws(SourceError) -> LoadedTree {
        if !again, let latest, own.fingerprint == latest.fingerprint { return latest }
        return try document.loadAlone(replacing: latest?.tree.document ?? old, keeping: latest?.tree.kept)
    }

    /// Starts to watch a place.
    func watch(_ place: PartPlace) {
        guard parts[place] == nil, !place.isImpossible else { return }
        FileReplacement.removeRemains(ofEdited: place.path, within: place.folder)
        parts[place] = FileWatcher(path: place.path, sharing: shared)
    }

    var fingerprint: Fingerprint? { pages?.fingerprint(with: ownFingerprint) ?? ownFingerprint }

    /// The fingerprint of the document and of the mounted files.
    private var ownFingerprint: Fingerprint? {
        guard !composer.places.isEmpty else { return own.fingerprint }
        return shared.hasHints ? nil : Fingerprint(of: [own.fingerprint, composer.files.fingerprint])
    }

    func savability(at path: ItemPath) -> Savability {
        if let savability = pages?.savability { return savability }
        if latest?.tree.isTable == true { return .nothing(.table) }
        guard let composition = composer.composition, case .found(let item) = Item.find(path, in: composition.document)
        else { return document.savability }
        let origin = composition.origin(of: item).file
        guard let file = composer.files.file(of: origin) else { return document.savability }
        return PropertyListFile(path: file.key.path).savability
    }

    func addWaits(to waits: inout WaitSet) {
        shared.addWaits(to: &waits)
        for database in databases.values { database.addWaits(to: &waits) }
        if hasCommit { waits.wake(by: .now) }
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let changed = Set(shared.takeChanged(at: now).map(ObjectIdentifier.init))
        if changed.contains(ObjectIdentifier(own)) { isOwnDoubtful = true }
        if !changed.isEmpty { doubtParts { changed.contains(ObjectIdentifier($0)) } }
        for database in databases.values where database.takeCommit(at: now) { hasCommit = true }
        if !changed.isEmpty { return .changed }
        defer { hasCommit = false }
        return hasCommit ? .committed : nil
    }
}

/// Edits of a document and of the files that it mounts.
extension DocumentWatcher {
    var isBeingWritten: Bool { FileLease.isBeingWritten(path: document.path) || pages?.isBeingWritten == true }

    func beginEdits() throws(EditRefusal) -> any EditGroup {
        if let edits = try pages?.beginEdits() { return edits }
        if document.interpretation.shape == .any { throw EditRefusal(.anyShape) }
        guard let latest else { throw EditRefusal(.missingFile) }
        if latest.tree.isTable { throw EditRefusal(.table) }
        if latest.tree.document.form.isNatural { return try NaturalEdits(watcher: self, loaded: latest) }
        return DocumentEdits(watcher: self, session: session(of: latest))
    }

    private func session(of latest: LoadedTree) -> EditSession {
        let (names, limits) = (document.interpretation.names, document.interpretation.treeLimits)
        guard let composition = composer.composition else {
            return EditSession(
                document: latest.tree.document, names: names, limits: limits, syntax: latest.syntax ?? .xml)
        }
        // A file without a known syntax holds no more than XML, which can represent the least.
        let (own, others) = (latest.syntax ?? .xml, composer.files.syntaxes)
        let main = ObjectIdentifier(composition)
        return EditSession(composition: composition, names: names, limits: limits) { file in
            let file = ObjectIdentifier(file)
            return file == main ? own : others[file] ?? .xml
        }
    }

    /// Saves a file.
    ///
    /// - Parameters:
    ///   - part: a mounted file; nil for the document's own file.
    ///   - loaded: the content of the file when it was last read.
    /// - Returns: the result of a load of the file.
    func save(
        _ content: EditedFile.Content, to part: PartFile?, replacing loaded: LoadedTree?
    ) throws(SaveError) -> LoadedTree {
        guard let loaded, let syntax = loaded.syntax, let path = part?.key.path ?? RealPath.existing(document.path)
        else { throw .changedMeanwhile }
        let file = EditedFile(
            path: path, maximumBytes: document.maximumBytes,
            interpretation: document.interpretation, loaded: loaded, syntax: syntax, worker: shared.saveWorker,
            fault: fault)
        return try file.save(content)
    }

    /// The edits that can be saved to a file.
    func savability(of part: PartFile?) -> Savability {
        part.map { PropertyListFile(path: $0.key.path).savability } ?? document.savability
    }

    /// Composes the document with other content of a file, before this content is saved.
    ///
    /// - Throws: `SourceError` if a load would refuse the document.
    func compose(with edited: LoadedTree, of part: PartFile?) throws(SourceError) -> LoadedTree {
        // The identity is that of the file when it was read. A file that was replaced since then is read again.
        if let part, let identity = edited.identity { part.take(.success(edited), in: identity) }
        guard let main = part == nil ? edited : latest else { return edited }
        return try composer.compose(main, isPatient: false) { watch($0) }
    }

    /// Composes the document from the content on disk again.
    func goBack(_ part: PartFile?, to loaded: LoadedTree) {
        do {
            _ = try compose(with: loaded, of: part)
            endWatches()
        } catch {
            // The document could be composed before, so a file has changed since then. The next load will report the
            // fault.
            forget()
        }
    }

    /// Adopts the content of a saved file, so that the file is not loaded again.
    ///
    /// - Parameter edited: the compositions that were made with this content, with the compositions that they replace.
    /// - Returns: the fingerprint of all files; nil if the files must be loaded.
    func adopt(
        _ saved: LoadedTree, of part: PartFile?, composed edited: [(old: Composition, new: Composition)]
    ) -> Fingerprint? {
        guard let identity = saved.identity else { return nil }
        if let part {
            for place in composer.files.take(saved, of: part) { parts[place]?.settle(identity) }
        } else {
            latest = saved
            unsettled = identity
        }
        guard composer.composition != nil || !saved.tree.parts.isEmpty else {
            state = saved.fingerprint
            return state
        }
        settle()
        return recompose(saved: part, as: edited)
    }

    /// Watches the document's new file, and starts to close the file that was replaced.
    func finishEdits() {
        settle()
        shared.saveWorker.beginClosing()
    }

    private func settle() {
        if let identity = unsettled.take() { own.settle(identity) }
    }

    private func recompose(
        saved part: PartFile?, as edited: [(old: Composition, new: Composition)]
    ) -> Fingerprint? {
        guard let latest else { return nil }
        do {
            let composed = composer.recompose(latest, saved: part, as: edited)
            state = try (composed ?? compose(with: latest, of: nil)).fingerprint
            if composed == nil { endWatches() }
            return state
        } catch {
            forget()
            return nil
        }
    }

    /// Makes the next load read everything again.
    private func forget() {
        (latest, state) = (nil, nil)
        own.doubt()
    }
}
