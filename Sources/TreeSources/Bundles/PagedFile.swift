internal import Glibc
public import Levels
internal import PropertyLists
internal import Threads

/// A file with all that belongs to it if it is a settings page: its child pages and its strings, in the same folder, and
/// its values document.
///
/// A change of any of these files reloads all of them, because they are small.
public struct PagedFile: TreeSource {
    /// The file itself.
    public let file: PropertyListFile
    public let name: String
    /// Has the values of the controls; nil without one.
    var values: ValuesFile?

    /// - Parameters:
    ///   - file: a property list, or the folder of a settings bundle, whose file is `Root.plist`.
    ///   - valuesPath: the file with the values of the controls, which need not exist; nil without one.
    public init(_ file: PropertyListFile, valuesPath: String? = nil) {
        name = file.path
        var file = file
        if let root = Self.rootPage(inBundle: file.path) { file.path = root }
        self.file = file
        values = valuesPath.map { ValuesFile(path: $0, besides: file) }
    }

    /// The file of a settings bundle; nil for a path that is not one.
    private static func rootPage(inBundle path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let root = "\(folder)/Root.plist"
        if folder.hasSuffix(".bundle") { return root }
        return unsafe stat(root, &status) == 0 ? root : nil
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try completed(file.load(replacing: old)).loaded
    }

    /// Adds what belongs to a file that was read; the page is nil if the file is not one.
    ///
    /// - Parameter old: the tree that this one will replace; equal levels are shared with it.
    func completed(
        _ loaded: LoadedTree, sharing old: Tree? = nil
    ) throws(SourceError) -> (loaded: LoadedTree, page: LoadedPage?) {
        guard let root = SettingsPage(loaded.tree) else { return (warned(loaded), nil) }
        let bundle = try BundlePages(of: root, loaded, in: file)
        try checkValues(besides: bundle)
        let page = try LoadedPage(bundle, stored: try values?.load(), sharing: old)
        return (page.loaded(valuesPath: values?.path), page)
    }

    /// Refuses a values document whose first edit would overwrite a page.
    private func checkValues(besides bundle: BundlePages) throws(SourceError) {
        guard let values, let target = RealPath.existing(values.path) else { return }
        let pages = [file.path] + bundle.order.map(bundle.files.path)
        guard !pages.contains(where: { RealPath.of($0) == target }) else {
            throw SourceError(values.path, "it is one of the settings pages; name another file for their values")
        }
    }

    /// Adds a warning if there is a values document, because only a settings page has one.
    private func warned(_ loaded: LoadedTree) -> LoadedTree {
        guard let values else { return loaded }
        var loaded = loaded
        let warning = DocumentWarning(
            position: .text(line: 1, column: 1), path: "",
            message: "the values are not used, because \(path: name) is not a settings page")
        loaded.warnings.insert(SourceWarning(file: values.path, warning: warning), at: 0)
        return loaded
    }

    public var retryInterval: Duration? { file.retryInterval }

    public func makeWatcher() -> any SourceWatcher { PagedFileWatcher(self, sharing: WatchedFiles()) }
}

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
        main = DocumentWatcher(source.file, sharing: files)
        values = source.values.map { values in
            FileWatcher(values.path, every: source.file.pollInterval, sharing: files)
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
        changes.append(values?.takeChange(at: now) == true)
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
