/// Tells one thread when a source may have changed.
///
/// It belongs to that thread alone; others reach it through its `Waker`.
public protocol SourceWatcher: AnyObject {
    /// Looks anew at what is to be watched; a change from here on is told by `wait`.
    func arm()

    /// Waits for a change, a wake-up or a point in time.
    ///
    /// - Parameter deadline: when to give up; nil for never.
    func wait(until deadline: ContinuousClock.Instant?) -> WatchOutcome
}

/// Why a watcher stopped waiting.
public enum WatchOutcome: Sendable {
    /// The source may have changed.
    case changed
    /// The waker was raised.
    case woken
    /// The point in time is reached.
    case timedOut
}
