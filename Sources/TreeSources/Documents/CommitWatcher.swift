public import Levels
public import Threads

/// Notices commits of other programs to a database, without blocking.
public protocol CommitWatcher: AnyObject {
    /// Adds the descriptors to wait for and the next deadline.
    func addWaits(to waits: inout WaitSet)

    /// Whether another program has committed since the last time; true at most ten times a second.
    func takeCommit(at now: ContinuousClock.Instant) -> Bool
}

/// The rows of an item that are in a database, to which other programs commit.
public protocol DatabaseRows: ItemRows {
    /// Makes a watcher, which notices every commit from now on.
    func makeWatcher() -> any CommitWatcher
}
