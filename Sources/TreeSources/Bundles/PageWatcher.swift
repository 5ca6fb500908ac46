internal import Files
internal import Levels
internal import Threads

/// Watches the files beside a settings page: the folders of its pages and strings, and its values document.
///
/// If one of these files changes, all of them are read again, because they are small.
final class PageWatcher {
    private let pages: PageFiles
    private let interval: Duration
    private let files: WatchedFiles
    /// The watcher of the values document, if any.
    private let values: FileWatcher?
    /// The page of the latest load; nil if the document is not a settings page.
    private(set) var page: LoadedPage?
    private var folders: [String: WatchList.Follower] = [:]
    /// The fingerprint of the bundle at the last check, and the time of the next check.
    private var state: Fingerprint?
    private var nextCheck: ContinuousClock.Instant

    /// - Parameters:
    ///   - pages: the files to watch; they need not exist.
    ///   - interval: the pause between checks, if the file system does not report changes.
    ///   - files: the events and descriptors that all watchers of the thread share.
    init(pages: PageFiles, every interval: Duration, sharing files: WatchedFiles) {
        (self.pages, self.interval, self.files) = (pages, interval, files)
        values = pages.values.map { FileWatcher(path: $0.path, every: interval, sharing: files) }
        pages.values?.removeRemains()
        nextCheck = files.nextCheck(after: .now, every: interval)
        values?.arm()
    }

    deinit { for follower in folders.values { files.forget(follower) } }

    /// Determines again which paths to watch.
    func arm() {
        values?.arm()
        followFolders()
    }

    /// Loads the files beside a document.
    func load(_ document: LoadedTree) throws(SourceError) -> LoadedTree {
        let (loaded, page) = try pages.load(document, sharing: page?.tree)
        let isSame = page?.bundle.files == self.page?.bundle.files
        self.page = page
        if !isSame { followFolders() }
        return loaded
    }

    /// Watches the folder of the bundle, and the folders of its languages.
    private func followFolders() {
        guard let bundle = page?.bundle.files else { return endFolders { _ in true } }
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

    /// The fingerprint of the document and the files beside it. If the document is not a settings page, this is the
    /// document's own fingerprint.
    func fingerprint(with document: Fingerprint?) -> Fingerprint? {
        guard let bundle = page?.bundle.files else { return document }
        return Fingerprint(of: [document, bundle.currentFingerprint] + (values.map { [$0.fingerprint] } ?? []))
    }

    /// The edits that can be saved; nil if the document is not a settings page.
    var savability: Savability? {
        guard page != nil else { return nil }
        guard let values = pages.values else { return .nothing(.noValues) }
        return values.refusal.map(Savability.nothing) ?? .controls
    }

    /// Whether a program has the values document open for writing.
    var isBeingWritten: Bool { pages.values.map { FileLease.isBeingWritten(path: $0.path) } ?? false }

    /// Begins edits of the controls; nil if the document is not a settings page.
    func beginEdits() throws(EditRefusal) -> ControlEdits? {
        guard let page else { return nil }
        guard let file = pages.values, let stored = page.stored else { throw EditRefusal(.noValues) }
        if let refusal = file.refusal { throw EditRefusal(refusal) }
        return ControlEdits(of: page, showing: stored, in: file, saveWorker: files.saveWorker) { [weak self] saved in
            self?.adopt(saved)
        }
    }

    /// Adopts a page whose values were saved, so that the page is not loaded again.
    private func adopt(_ saved: LoadedPage) {
        page = saved
        if let identity = saved.stored?.identity { values?.settle(identity) }
    }

    /// Adds the descriptor to wait for and the time of the next check.
    func addWaits(to waits: inout WaitSet) {
        guard page != nil else { return }
        waits.wake(by: nextCheck)
        values?.addWaits(to: &waits)
    }

    /// Whether a file may have changed since the previous call. Does not block.
    func takeChange(at now: ContinuousClock.Instant) -> Bool {
        guard let bundle = page?.bundle.files else { return false }
        // Taking the changes of all folders together keeps one save from being reported twice.
        var changes = folders.values.map { files.takeChange(of: $0, at: now) }
        changes.append(values?.takeChange(at: now) == true)
        return changes.contains(true) || looksChanged(bundle, at: now)
    }

    /// Whether a file of the bundle differs from the file at the previous check. Checks at most once per interval.
    private func looksChanged(_ bundle: BundleFiles, at now: ContinuousClock.Instant) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = files.nextCheck(after: now, every: interval)
        let seen = bundle.currentFingerprint
        defer { state = seen }
        return seen != state
    }
}
