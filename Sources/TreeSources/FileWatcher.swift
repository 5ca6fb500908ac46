internal import Glibc

/// Watches the file at a path.
public final class FileWatcher: SourceWatcher {
    private let path: String
    private let waker: Waker
    private let pollInterval: Duration
    private var identity: FileIdentity?

    public init(path: String, waker: Waker, pollInterval: Duration = .seconds(2)) {
        self.path = path
        self.waker = waker
        self.pollInterval = pollInterval
    }

    public func arm() { identity = FileIdentity(path: path) }

    public func wait(until deadline: ContinuousClock.Instant?) -> WatchOutcome {
        waker.wait()
        return .woken
    }
}
