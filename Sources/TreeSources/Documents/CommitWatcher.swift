public import Levels
public import Threads

/// Notices commits of other programs to a database, without blocking.
public protocol CommitWatcher: AnyObject {
    /// Adds the descriptors to wait for and the next deadline.
    func addWaits(to waits: inout WaitSet)

    /// Whether another program has committed since this method last returned true. It returns true at most ten times a
    /// second.
    func takeCommit(at now: ContinuousClock.Instant) -> Bool
}

/// The rows of an item in a database to which other programs may commit.
public protocol DatabaseRows: ItemRows {
    /// Makes a watcher that notices every commit from now on.
    func makeWatcher() -> any CommitWatcher
}
