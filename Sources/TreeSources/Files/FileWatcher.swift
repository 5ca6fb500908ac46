internal import Glibc
public import Levels
public import Threads

/// Detects when the file at a path may have changed: written to, replaced, moved, or reached through other links.
///
/// Kernel events (inotify) report changes at once. File systems without events, such as network file systems, are
/// polled.
public final class FileWatcher: SourceWatcher {
    private let file: PropertyListFile
    private let wakeup: Wakeup
    private let clock = ContinuousClock()
    private var list = WatchList()
    /// The identity of the file at the last check, and when the next check is due.
    private var identity: FileIdentity?
    private var nextLook: ContinuousClock.Instant
    /// One for the file, and one for listing its folder if the file is missing.
    private var reserve = DescriptorReserve(count: 2)

    /// - Parameters:
    ///   - file: it need not exist.
    ///   - wakeup: wakes the thread that waits.
    public init(_ file: PropertyListFile, wakeup: Wakeup) {
        self.file = file
        self.wakeup = wakeup
        nextLook = clock.now + file.pollInterval
    }

    public func arm() {
        list.follow(file.path)
        identity = FileIdentity(path: file.path)
    }

    public func refresh() -> Bool {
        arm()
        return true
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        reserve.release()
        defer { reserve.refill() }
        return try file.load(replacing: old)
    }

    public func wait(until deadline: ContinuousClock.Instant?) -> WatchOutcome {
        while true {
            let isReady = sleep(until: deadline.map { min($0, nextLook) } ?? nextLook)
            if wakeup.reset() { return .woken }
            if isReady, list.hasChanged() { return .changed }
            if looksChanged() { return .changed }
            if let deadline, clock.now >= deadline { return .timedOut }
        }
    }

    /// Sleeps until a point in time, or until an event or a wake-up; then returns true.
    private func sleep(until instant: ContinuousClock.Instant) -> Bool {
        var entries = [
            pollfd(fd: list.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        return unsafe poll(&entries, 2, clock.now.duration(to: instant).pollTimeout) > 0
    }

    /// Whether the file at the path differs from before; checked at most once per `pollInterval`.
    private func looksChanged() -> Bool {
        let now = clock.now
        guard now >= nextLook else { return false }
        nextLook = now + file.pollInterval
        let seen = FileIdentity(path: file.path)
        defer { identity = seen }
        return seen != identity
    }
}
