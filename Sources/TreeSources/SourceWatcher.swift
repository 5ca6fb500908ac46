public import Levels

/// Tells one thread when a source may have changed, and loads it there.
///
/// It belongs to that thread alone; others reach it through its `Waker`.
public protocol SourceWatcher: AnyObject {
    /// Looks anew at what is to be watched; a change from here on is told by `wait`.
    func arm()

    /// Asks for the source as it is from now on.
    ///
    /// - Returns: true where it can be loaded at once; else `wait` tells when it was fetched, or that it cannot be.
    func refresh() -> Bool

    /// Loads what there is: the file, or what was fetched last. The first load fetches by itself.
    ///
    /// - Parameter old: the tree this one will replace; levels of the same content are taken over from it.
    /// - Throws: `SourceError` when there is no tree to be had; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// Waits for a change, a wake-up or a point in time.
    ///
    /// - Parameter deadline: when to give up; nil for never.
    func wait(until deadline: ContinuousClock.Instant?) -> WatchOutcome
}

/// Why a watcher stopped waiting.
public enum WatchOutcome: Sendable, Equatable {
    /// The source may have changed, and may be on its way to change again: the steps of a save.
    case changed
    /// A whole document was fetched, and can be loaded.
    case arrived
    /// The source was asked, and is as it was loaded last.
    case confirmed
    /// The source was asked, and gave no document.
    case failed(SourceError)
    /// The waker was raised.
    case woken
    /// The point in time is reached.
    case timedOut
}
