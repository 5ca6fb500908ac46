internal import Levels
internal import Threads

/// Watches a file, the folders of all files that belong to it, and its values document.
final class PagedFileWatcher: SourceWatcher {
    private let source: PagedFile
    private let files: WatchedFiles
    /// Of the file itself.
    private let main: any SourceWatcher
    /// Of the values document.
    private let values: FileWatcher?
    /// What was loaded last; nil if the file is not a settings page.
    private(set) var page: LoadedPage?
    private var folders: [String: WatchList.Follower] = [:]
    /// The state of the bundle at the last check, and when the next check is due.
    private var state: Fingerprint?
    private var nextCheck: ContinuousClock.Instant

    init(_ source: PagedFile, sharing files: WatchedFiles) {
        self.source = source
        self.files = files
        main = source.file.watcher(sharing: files)
        values = source.values.map { values in
            let file = PropertyListFile(path: values.path, pollInterval: source.file.pollInterval)
            return FileWatcher(file, sharing: files)
        }
        source.values?.removeRemains()
        nextCheck = files.nextCheck(after: .now, every: source.file.pollInterval)
    }

    deinit { for follower in folders.values { files.forget(follower) } }

    /// The other files of the bundle that the latest load depended on; nil if the file is not a settings page.
    private var bundle: BundleFiles? { page?.bundle.files }

    func arm() {
        main.arm()
        values?.arm()
        followFolders()
    }

    func refresh() -> Bool {
        followFolders()
        return main.refresh()
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let alone = try main.load(replacing: old)
        return try files.usingReserve { () throws(SourceError) in
            let (loaded, page) = try source.completed(alone, sharing: page?.tree)
            let isSame = page?.bundle.files == bundle
            self.page = page
            if !isSame { followFolders() }
            return loaded
        }
    }

    /// Watches the folder of the bundle, and the folders of its languages.
    private func followFolders() {
        guard let bundle else { return endFolders { _ in true } }
        let languages = bundle.languageFolders.map(bundle.path)
        endFolders { !languages.contains($0) && $0 != bundle.folder }
        follow(bundle.folder, endings: [".plist", ".lproj"])
        for folder in languages { follow(folder, endings: [".strings"]) }
        state = bundle.currentFingerprint
    }

    private func follow(_ folder: String, endings: [String]) {
        let follower = folders[folder] ?? files.add()
        folders[folder] = follower
        files.follow(folder: folder, endings: endings, for: follower)
    }

    private func endFolders(where isUnneeded: (String) -> Bool) {
        for (folder, follower) in folders where isUnneeded(folder) {
            files.forget(follower)
            folders[folder] = nil
        }
    }

    var fingerprint: Fingerprint? {
        guard let bundle else { return main.fingerprint }
        return Fingerprint(of: [main.fingerprint, bundle.currentFingerprint] + (values.map { [$0.fingerprint] } ?? []))
    }

    func savability(at path: ItemPath) -> Savability {
        guard bundle != nil else { return main.savability(at: path) }
        guard let values = source.values else { return .nothing(.noValues) }
        return values.refusal.map(Savability.nothing) ?? .controls
    }

    var isBeingWritten: Bool {
        main.isBeingWritten || source.values.map { FileLease.isBeingWritten(path: $0.path) } ?? false
    }

    func beginEdits() throws(EditRefusal) -> any EditGroup {
        guard let page else { return try main.beginEdits() }
        guard let file = source.values, let stored = page.stored else { throw EditRefusal(.noValues) }
        if let refusal = file.refusal { throw EditRefusal(refusal) }
        return ControlEdits(of: page, showing: stored, in: file, watched: files) { [weak self] saved in
            self?.adopt(saved)
        }
    }

    /// Takes over a page after its values were saved, so that it is not loaded again.
    private func adopt(_ saved: LoadedPage) {
        page = saved
        if let identity = saved.stored?.identity { values?.settle(identity) }
    }

    func addWaits(to waits: inout WaitSet) {
        main.addWaits(to: &waits)
        guard bundle != nil else { return }
        waits.wake(by: nextCheck)
        values?.addWaits(to: &waits)
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let report = main.advance(at: now)
        guard let bundle else { return report }
        // The changes of all folders are taken, so that one save is not reported twice.
        var changes = folders.values.map { files.takeChange(of: $0, at: now) }
        changes.append(values?.advance(at: now) != nil)
        return changes.contains(true) || looksChanged(bundle, at: now) ? .changed : report
    }

    /// Whether a file of the bundle differs from before; checked at most once in the interval of the file itself.
    private func looksChanged(_ bundle: BundleFiles, at now: ContinuousClock.Instant) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = files.nextCheck(after: now, every: source.file.pollInterval)
        let seen = bundle.currentFingerprint
        defer { state = seen }
        return seen != state
    }
}
