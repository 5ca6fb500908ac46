internal import Files
internal import Threads

/// Detects that the file at a path, or the files of a settings bundle, may have changed: that a file was written,
/// replaced or moved, or that links in the path now lead to another file.
///
/// Kernel events (inotify) are hints to look at once. File systems without events, such as network file systems, are
/// looked at in intervals.
final class FileWatcher {
    private let paths: [String]
    private let endings: [Substring]
    private let look: () -> Fingerprint?
    private let files: WatchedFiles
    private let follower: WatchList.Follower
    /// The fingerprint at the last look.
    private var state: Fingerprint?
    /// The time of the last look at which the fingerprint was new.
    private var changed = ContinuousClock.now

    /// Starts to watch a file. Every change after this call is reported.
    ///
    /// - Parameters:
    ///   - path: the path of the file; the file need not exist.
    ///   - files: the events and checks that all watchers of a document share.
    convenience init(path: String, sharing files: WatchedFiles) {
        self.init([path], sharing: files) { FileIdentity(path: path).map(Fingerprint.init) ?? .missing }
    }

    /// Starts to watch several paths.
    ///
    /// - Parameters:
    ///   - paths: the paths of files, or of folders in which the names with an ending matter.
    ///   - endings: the endings of names that matter, such as `plist`; none for paths of files.
    ///   - known: the known fingerprint, after which every change is reported; nil for the current one.
    ///   - files: the events and checks that all watchers of a document share.
    ///   - look: returns the current fingerprint of the files.
    init(
        _ paths: [String], endings: [Substring] = [], since known: Fingerprint? = nil, sharing files: WatchedFiles,
        look: @escaping () -> Fingerprint?
    ) {
        (self.paths, self.endings, self.files, self.look) = (paths, endings, files, look)
        follower = files.addFollower()
        files.add(self, following: follower)
        follow()
        state = known ?? look()
        if known != nil { files.check(follower) }
    }

    deinit { files.forget(follower) }

    /// Follows the paths to where they lead now. Returns whether they lead elsewhere than before.
    @discardableResult
    private func follow() -> Bool { files.follow(paths, endings: endings, for: follower) }

    /// The current fingerprint of the file or of the bundle.
    var fingerprint: Fingerprint? { look() }

    /// Accepts a saved file as known, and drops the events of the save.
    ///
    /// - Parameter saved: the identity of the file after the save. A later change is reported.
    func settle(_ saved: FileIdentity) {
        files.dropEvents(of: follower)
        follow()
        (state, changed) = (Fingerprint(saved), .now)
        if look() != state { files.check(follower) }
    }

    /// Makes the next look find a change.
    func doubt() {
        state = nil
        files.check(follower)
    }

    /// Looks at the file. Returns whether it may have changed since the last look.
    ///
    /// - Parameter isHinted: whether there was an event.
    fileprivate func looksChanged(isHinted: Bool) -> Bool {
        if !isHinted, look() == state { return false }
        // The paths are followed before the look, so that no later change is missed.
        let leadsElsewhere = follow()
        let (seen, now) = (look(), ContinuousClock.now)
        guard seen == state, !leadsElsewhere else {
            (state, changed) = (seen, now)
            return true
        }
        return now - changed < files.timeStampStep
    }
}

/// The resources that all watchers of one document share: the kernel's events, the times of checks, and the thread for
/// saves.
///
/// So thousands of files need no more descriptors and wake-ups than one file, and an event costs only a look at the
/// files that it concerns. Only the watchers' thread may use this object.
final class WatchedFiles {
    typealias Instant = ContinuousClock.Instant

    private struct Entry {
        unowned let watcher: FileWatcher
    }

    let saveWorker = SaveWorker()
    private var list = WatchList()
    private var watchers: [WatchList.Follower: Entry] = [:]
    /// The watchers to look at without an event.
    private var unchecked: Set<WatchList.Follower> = []
    /// The pause between looks at all files, and the time of the next look.
    private let interval: Duration
    private var nextCheck: Instant
    /// The coarsest time stamps of a usual file system. A second change within this time may leave the fingerprint of a
    /// file as it is.
    fileprivate let timeStampStep: Duration

    /// - Parameters:
    ///   - interval: the pause between looks at all files, for file systems that do not report changes.
    ///   - timeStampStep: the time after a change in which each event counts as a further change.
    init(every interval: Duration, timeStampStep: Duration = .seconds(2)) {
        self.interval = max(interval, .milliseconds(1))
        self.timeStampStep = timeStampStep
        nextCheck = .now + self.interval
    }

    fileprivate func addFollower() -> WatchList.Follower { list.add() }

    fileprivate func add(_ watcher: FileWatcher, following follower: WatchList.Follower) {
        watchers[follower] = Entry(watcher: watcher)
    }

    fileprivate func forget(_ follower: WatchList.Follower) {
        list.forget(follower)
        watchers[follower] = nil
        unchecked.remove(follower)
    }

    fileprivate func follow(_ paths: [String], endings: [Substring], for follower: WatchList.Follower) -> Bool {
        list.follow(paths, endings: endings, for: follower)
    }

    fileprivate func dropEvents(of follower: WatchList.Follower) {
        list.readEvents()
        list.dropHint(of: follower)
    }

    /// Makes the next `takeChanged` look at the files of a watcher.
    fileprivate func check(_ follower: WatchList.Follower) { unchecked.insert(follower) }

    /// Whether `takeChanged` would look at a file now, even if no look at all files is due.
    var hasHints: Bool {
        list.readEvents()
        return list.hasHints || !unchecked.isEmpty
    }

    /// Adds the descriptor to wait for and the time of the next look.
    func addWaits(to waits: inout WaitSet) {
        waits.add(list.descriptor)
        // Events may have been read already, during a save.
        waits.wake(by: hasHints ? .now : nextCheck)
    }

    /// Takes the watchers whose files may have changed since the previous call. Does not block.
    ///
    /// - Parameter looksAtAll: whether to look at all files, even if that is not due.
    func takeChanged(at now: Instant, looksAtAll: Bool = false) -> [FileWatcher] {
        list.readEvents()
        let hinted = list.takeHints()
        var followers = hinted.union(unchecked)
        unchecked = []
        if looksAtAll || now >= nextCheck {
            nextCheck = now + interval
            followers = Set(watchers.keys)
        }
        return followers.compactMap { follower in
            guard let watcher = watchers[follower]?.watcher else { return nil }
            return watcher.looksChanged(isHinted: hinted.contains(follower)) ? watcher : nil
        }
    }
}
