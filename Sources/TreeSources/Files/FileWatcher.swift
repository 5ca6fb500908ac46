internal import Files
internal import Threads

/// Detects that the file at a path may have changed: that it was written, replaced or moved, or that links in the path
/// now lead to another file.
///
/// Kernel events (inotify) report changes at once. File systems without events, such as network file systems, are
/// polled.
final class FileWatcher {
    private let path: String
    private let interval: Duration
    private let files: WatchedFiles
    private let follower: WatchList.Follower
    /// The identity of the file at the last check (nil if the file did not exist), and the time of the next check.
    private var identity: FileIdentity?
    private var nextCheck: ContinuousClock.Instant

    /// - Parameters:
    ///   - path: the path of the file; the file need not exist.
    ///   - interval: the pause between checks, if the file system does not report changes.
    ///   - files: the events and descriptors that all watchers of the thread share.
    init(path: String, every interval: Duration, sharing files: WatchedFiles) {
        (self.path, self.interval, self.files) = (path, interval, files)
        follower = files.add()
        nextCheck = files.nextCheck(after: .now, every: interval)
    }

    deinit { files.forget(follower) }

    /// Determines again which paths to watch. Every change after this call is reported.
    func arm() {
        files.follow(path, for: follower)
        identity = FileIdentity(path: path)
    }

    /// Accepts a saved file as known, and drops the events that the save has caused.
    ///
    /// - Parameters:
    ///   - watchers: all watchers whose paths lead to the file. The watchers must have the same `WatchedFiles`.
    ///   - saved: the identity of the file after the save. A later change is reported.
    static func settle(_ watchers: [FileWatcher], saved: FileIdentity) {
        watchers.first?.files.followReplacement(of: watchers.map { ($0.path, $0.follower) })
        for watcher in watchers {
            watcher.identity = saved
            if FileIdentity(path: watcher.path) != saved { watcher.nextCheck = .now }
        }
    }

    /// Accepts a saved file as known. No other watched path may lead to the file.
    func settle(_ saved: FileIdentity) { Self.settle([self], saved: saved) }

    /// Makes the next `takeChange` report the file as changed.
    func doubt() {
        identity = nil
        nextCheck = .now
    }

    /// The current fingerprint of the file.
    var fingerprint: Fingerprint { FileIdentity(path: path).map(Fingerprint.init) ?? .missing }

    /// Adds the descriptor to wait for and the time of the next check.
    func addWaits(to waits: inout WaitSet) {
        waits.add(files.descriptor)
        // The event may have been read already, during the save of another file.
        if files.hasChange(of: follower) { waits.wake(by: .now) }
        waits.wake(by: nextCheck)
    }

    /// Whether the file may have changed since the previous call. Does not block.
    func takeChange(at now: ContinuousClock.Instant) -> Bool {
        files.takeChange(of: follower, at: now) || looksChanged(at: now)
    }

    /// Whether the file at the path differs from the file at the previous check. Checks at most once per interval.
    private func looksChanged(at now: ContinuousClock.Instant) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = files.nextCheck(after: now, every: interval)
        let seen = FileIdentity(path: path)
        defer { identity = seen }
        return seen != identity
    }
}
