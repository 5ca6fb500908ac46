public import Levels

/// Notifies one thread when a source may have changed, and loads the source on that thread.
///
/// Only that thread may use it; other threads reach it through its `Wakeup`.
public protocol SourceWatcher: AnyObject {
    /// Determines again what to watch; `wait` reports every change from here on.
    func arm()

    /// Requests the current state of the source.
    ///
    /// - Returns: true if it can be loaded at once; else `wait` reports when it was fetched, or that it cannot be.
    func refresh() -> Bool

    /// Loads the file, or the document that was fetched last. The first load fetches by itself.
    ///
    /// - Parameter old: the tree this one will replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if no tree can be loaded; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// Waits for a change, a wake-up or a point in time.
    ///
    /// - Parameter deadline: when to stop waiting; nil for never.
    func wait(until deadline: ContinuousClock.Instant?) -> WatchOutcome
}

/// Why a watcher stopped waiting.
public enum WatchOutcome: Sendable, Equatable {
    /// The source may have changed, and may soon change again, as in the steps of a save.
    case changed
    /// A complete document was fetched and can be loaded.
    case arrived
    /// The source was requested and has not changed since the last load.
    case confirmed
    /// The source was requested and returned no document.
    case failed(SourceError)
    /// There was a wake-up.
    case woken
    /// The deadline was reached.
    case timedOut
}
