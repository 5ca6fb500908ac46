internal import Files
internal import Threads

/// Detects when the file at a path may have changed: written to, replaced, moved, or reached through other links.
///
/// Kernel events (inotify) report changes at once. File systems without events, such as network file systems, are
/// polled.
final class FileWatcher {
    private let path: String
    private let interval: Duration
    private let files: WatchedFiles
    private let follower: WatchList.Follower
    /// The state of the file at the last check, and when the next check is due.
    private var identity: FileIdentity?
    private var nextCheck: ContinuousClock.Instant

    /// - Parameters:
    ///   - path: its file need not exist.
    ///   - interval: how often the file is checked, if the file system does not report changes.
    ///   - files: what all watchers of the thread share.
    init(_ path: String, every interval: Duration, sharing files: WatchedFiles) {
        (self.path, self.interval, self.files) = (path, interval, files)
        follower = files.add()
        nextCheck = files.nextCheck(after: .now, every: interval)
    }

    deinit { files.forget(follower) }

    /// Determines again what to watch; every change from here on is reported.
    func arm() {
        files.follow(path, for: follower)
        identity = FileIdentity(path: path)
    }

    /// Takes a saved file for known, and drops the events that the save has caused.
    ///
    /// - Parameters:
    ///   - watchers: all whose paths lead to the file; they share their `WatchedFiles`.
    ///   - saved: its state after the save; if it is another already, that is reported.
    static func settle(_ watchers: [FileWatcher], _ saved: FileIdentity) {
        watchers.first?.files.followReplacement(of: watchers.map { ($0.path, $0.follower) })
        for watcher in watchers {
            watcher.identity = saved
            if FileIdentity(path: watcher.path) != saved { watcher.nextCheck = .now }
        }
    }

    /// The same where no other path leads to the file.
    func settle(_ saved: FileIdentity) { Self.settle([self], saved) }

    /// Has the file reported as changed.
    func doubt() {
        identity = nil
        nextCheck = .now
    }

    /// The state of the file now.
    var fingerprint: Fingerprint { FileIdentity(path: path).map(Fingerprint.init) ?? .missing }

    /// Adds the descriptor and the point in time at which there is something to do.
    func addWaits(to waits: inout WaitSet) {
        waits.add(files.descriptor)
        // Another file's save has read the event.
        if files.hasChange(of: follower) { waits.wake(by: .now) }
        waits.wake(by: nextCheck)
    }

    /// Whether the file may have changed since the last call, without blocking.
    func takeChange(at now: ContinuousClock.Instant) -> Bool {
        files.takeChange(of: follower, at: now) || looksChanged(at: now)
    }

    /// Whether the file at the path differs from before; checked at most once per interval.
    private func looksChanged(at now: ContinuousClock.Instant) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = files.nextCheck(after: now, every: interval)
        let seen = FileIdentity(path: path)
        defer { identity = seen }
        return seen != identity
    }
}
