public import Levels
public import Threads

/// Watches a source for one thread, without ever blocking it, and loads the source on that thread.
///
/// The thread drives any number of watchers: it collects what they wait for, waits for all of it at once, and advances
/// each. Only that thread may use a watcher. A watcher of a composed source drives those of its parts
/// (`WatcherGroup`).
public protocol SourceWatcher: AnyObject {
    /// Determines again what to watch; every change from here on is reported.
    func arm()

    /// Requests the current state of the source.
    ///
    /// - Returns: true if it can be loaded at once; else it is reported when it was fetched, or that it cannot be.
    func refresh() -> Bool

    /// Loads the file, or the document that was fetched last. A first load without one fetches it, and blocks.
    ///
    /// - Parameter old: the tree this one will replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if no tree can be loaded; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The state of what a load would read now; nil if only a load can tell. Cheap to call.
    var fingerprint: Fingerprint? { get }

    /// What can be saved of an edit at a path of the tree that was loaded last. Cheap to call.
    ///
    /// The parts of a composed source answer for their own items.
    func savability(at path: ItemPath) -> Savability

    /// Whether some program has a file of the source open for writing, and so will probably save it; false if the system
    /// does not tell. Cheap to call.
    var isBeingWritten: Bool { get }

    /// Begins edits of the tree that was loaded last.
    ///
    /// - Throws: `EditRefusal` if nothing of the source can be edited, and why.
    func beginEdits() throws(EditRefusal) -> any EditGroup

    /// Adds the descriptors and the point in time at which there is something to do.
    func addWaits(to waits: inout WaitSet)

    /// Does what is due, without blocking.
    ///
    /// - Parameter now: the time of this turn of the thread's loop, the same for all its watchers.
    /// - Returns: what happened; nil if nothing did. If there is more to report, the next wait ends at once.
    func advance(at now: ContinuousClock.Instant) -> SourceReport?
}

extension SourceWatcher {
    /// Nobody can be seen writing to it.
    public var isBeingWritten: Bool { false }

    public func beginEdits() throws(EditRefusal) -> any EditGroup {
        if case .nothing(let refusal) = savability(at: .root) { throw EditRefusal(refusal) }
        throw EditRefusal(.conflict, "The document cannot be edited here; edit it in its own place.")
    }
}
