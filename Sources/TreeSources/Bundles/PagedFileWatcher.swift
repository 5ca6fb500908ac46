internal import Levels
internal import Threads

/// Watches a file, and the folders of all files that belong to it.
final class PagedFileWatcher: SourceWatcher {
    private let source: PagedFile
    private let files: WatchedFiles
    /// Of the file itself.
    private let main: any SourceWatcher
    /// The other files of the bundle that the latest load depended on; nil if the file is no settings page.
    private var bundle: BundleFiles?
    private var folders: [String: WatchList.Follower] = [:]
    /// The state of the bundle at the last check, and when the next check is due.
    private var state: Fingerprint?
    private var nextCheck: ContinuousClock.Instant

    init(_ source: PagedFile, sharing files: WatchedFiles) {
        self.source = source
        self.files = files
        main = source.file.watcher(sharing: files)
        nextCheck = files.nextCheck(after: .now, every: source.file.pollInterval)
    }

    deinit { for follower in folders.values { files.forget(follower) } }

    func arm() {
        main.arm()
        followFolders()
    }

    func refresh() -> Bool {
        followFolders()
        return main.refresh()
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let alone = try main.load(replacing: old)
        return try files.usingReserve { () throws(SourceError) in
            let (loaded, bundle) = try source.completed(alone)
            let isSame = bundle == self.bundle
            self.bundle = bundle
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
        return Fingerprint(of: [main.fingerprint, bundle.currentFingerprint])
    }

    func savability(at path: ItemPath) -> Savability {
        bundle == nil ? main.savability(at: path) : .nothing(.settingsPage)
    }

    func beginEdits() throws(EditRefusal) -> any EditGroup {
        guard bundle == nil else { throw EditRefusal(.settingsPage) }
        return try main.beginEdits()
    }

    func addWaits(to waits: inout WaitSet) {
        main.addWaits(to: &waits)
        if bundle != nil { waits.wake(by: nextCheck) }
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let report = main.advance(at: now)
        guard let bundle else { return report }
        // The changes of all folders are taken, so that one save is not reported twice.
        let changes = folders.values.map { files.takeChange(of: $0, at: now) }
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
