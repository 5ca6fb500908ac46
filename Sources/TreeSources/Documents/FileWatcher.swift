internal import Levels
internal import Threads

/// Detects when the file at a path may have changed: written to, replaced, moved, or reached through other links.
///
/// Kernel events (inotify) report changes at once. File systems without events, such as network file systems, are
/// polled.
final class FileWatcher: SourceWatcher {
    private let file: PropertyListFile
    private let files: WatchedFiles
    private let follower: WatchList.Follower
    /// The state of the file at the last check, and when the next check is due.
    private var identity: FileIdentity?
    private var nextCheck: ContinuousClock.Instant

    /// - Parameters:
    ///   - file: it need not exist.
    ///   - files: what all watchers of the thread share.
    init(_ file: PropertyListFile, sharing files: WatchedFiles) {
        self.file = file
        self.files = files
        follower = files.add()
        nextCheck = files.nextCheck(after: .now, every: file.pollInterval)
    }

    deinit { files.forget(follower) }

    func arm() {
        files.follow(file.path, for: follower)
        identity = FileIdentity(path: file.path)
    }

    /// Takes a saved file for known, and drops the events that the save has caused.
    ///
    /// - Parameters:
    ///   - watchers: all whose paths lead to the file; they share their `WatchedFiles`.
    ///   - saved: its state after the save; if it is another already, that is reported.
    static func settle(_ watchers: [FileWatcher], _ saved: FileIdentity) {
        watchers.first?.files.followReplacement(of: watchers.map { ($0.file.path, $0.follower) })
        for watcher in watchers {
            watcher.identity = saved
            if FileIdentity(path: watcher.file.path) != saved { watcher.nextCheck = .now }
        }
    }

    /// The same where no other path leads to the file.
    func settle(_ saved: FileIdentity) { Self.settle([self], saved) }

    /// Has the file reported as changed.
    func doubt() {
        identity = nil
        nextCheck = .now
    }

    func refresh() -> Bool {
        arm()
        return true
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try files.usingReserve { () throws(SourceError) in try file.loadAlone(replacing: old) }
    }

    var fingerprint: Fingerprint? { FileIdentity(path: file.path).map(Fingerprint.init) ?? .missing }

    func savability(at path: ItemPath) -> Savability { file.savability }

    func addWaits(to waits: inout WaitSet) {
        waits.add(files.descriptor)
        // Another file's save has read the event.
        if files.hasChange(of: follower) { waits.wake(by: .now) }
        waits.wake(by: nextCheck)
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        files.takeChange(of: follower, at: now) || looksChanged(at: now) ? .changed : nil
    }

    /// Whether the file at the path differs from before; checked at most once per `pollInterval`.
    private func looksChanged(at now: ContinuousClock.Instant) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = files.nextCheck(after: now, every: file.pollInterval)
        let seen = FileIdentity(path: file.path)
        defer { identity = seen }
        return seen != identity
    }
}
