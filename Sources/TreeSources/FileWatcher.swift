internal import Glibc

/// Tells when the file at a path may have changed: written to, replaced, moved, or reached through other links.
///
/// Events of the kernel (inotify) tell at once. File systems that send none, as those over a network, are looked at
/// from time to time.
public final class FileWatcher: SourceWatcher {
    private let path: String
    private let waker: Waker
    private let pollInterval: Duration
    private let clock = ContinuousClock()
    private var list = WatchList()
    /// What stood at the path when it was looked at last, and when that will be done again.
    private var identity: FileIdentity?
    private var nextLook: ContinuousClock.Instant

    /// - Parameters:
    ///   - path: the file; it need not exist.
    ///   - waker: wakes the thread that waits.
    ///   - pollInterval: how often the file is looked at.
    public init(path: String, waker: Waker, pollInterval: Duration = .seconds(2)) {
        self.path = path
        self.waker = waker
        self.pollInterval = pollInterval
        nextLook = clock.now + pollInterval
    }

    public func arm() {
        list.follow(path)
        identity = FileIdentity(path: path)
    }

    public func wait(until deadline: ContinuousClock.Instant?) -> WatchOutcome {
        while true {
            let isReady = sleep(until: deadline.map { min($0, nextLook) } ?? nextLook)
            if waker.reset() { return .woken }
            if isReady, list.hasChanged() { return .changed }
            if looksChanged() { return .changed }
            if let deadline, clock.now >= deadline { return .timedOut }
        }
    }

    /// Sleeps until a point in time, or until there is an event or a wake-up: true then.
    private func sleep(until instant: ContinuousClock.Instant) -> Bool {
        var entries = [
            pollfd(fd: list.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        return unsafe poll(&entries, 2, clock.now.duration(to: instant).pollTimeout) > 0
    }

    /// Whether something else stands at the path than before; asked no more often than `pollInterval` says.
    private func looksChanged() -> Bool {
        let now = clock.now
        guard now >= nextLook else { return false }
        nextLook = now + pollInterval
        let seen = FileIdentity(path: path)
        defer { identity = seen }
        return seen != identity
    }
}

extension Duration {
    /// Whole milliseconds as `poll` takes them, rounded up so that the time has passed then.
    fileprivate var pollTimeout: Int32 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
