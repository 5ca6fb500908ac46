public import Levels
public import Threads

/// Watches a source for one thread, without ever blocking it, and loads the source on that thread.
///
/// The thread collects what the watcher and others wait for, waits for all of it at once, and advances each. Only that
/// thread may use a watcher.
public protocol SourceWatcher: AnyObject {
    /// Determines again what to watch; every change from here on is reported.
    func arm()

    /// Requests the current state of the source.
    ///
    /// - Returns: true if it can be loaded at once; else it is reported when it was fetched, or that it cannot be.
    func refresh() -> Bool

    /// Loads the source, or the document that was fetched last. A first load without one fetches it, and blocks.
    ///
    /// - Parameter old: the tree this one will replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if no tree can be loaded; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The state of what a load would read now; nil if only a load can tell. Cheap to call.
    var fingerprint: Fingerprint? { get }

    /// What can be saved of an edit at a path of the tree that was loaded last; parts of a source may differ. Cheap to
    /// call.
    func savability(at path: ItemPath) -> Savability

    /// Whether a database is connected; nil for a source that is not one. Cheap to call.
    var isConnected: Bool? { get }

    /// Whether another program is probably saving the source just now; false if that is not known. Cheap to call.
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

/// By default, a source is loaded when that is asked for, reports no changes, and cannot be edited.
extension SourceWatcher {
    public func arm() {}

    public func refresh() -> Bool { true }

    public var fingerprint: Fingerprint? { nil }

    public func savability(at path: ItemPath) -> Savability { .nothing(.elsewhere) }

    public var isConnected: Bool? { nil }

    public var isBeingWritten: Bool { false }

    public func beginEdits() throws(EditRefusal) -> any EditGroup {
        if case .nothing(let refusal) = savability(at: .root) { throw EditRefusal(refusal) }
        throw EditRefusal(.elsewhere)
    }

    public func addWaits(to waits: inout WaitSet) {}

    public func advance(at now: ContinuousClock.Instant) -> SourceReport? { nil }
}

/// What happened to a watched source.
public enum SourceReport: Sendable, Equatable {
    /// The source may have changed, and may soon change again, as in the steps of a save.
    case changed
    /// A complete document was fetched and can be loaded.
    case arrived
    /// The watcher has newer trees already, the oldest first; each is published, and nothing is loaded.
    case advanced([TreeAdvance])
    /// The source was requested and has not changed since the last load.
    case confirmed
    /// The source was requested and returned no document.
    case failed(SourceError)
}

/// A newer tree that a watcher has without a load, as after an entry of a change log.
public struct TreeAdvance: Sendable {
    /// A level whose one row is the root item.
    public let document: Level
    /// The document in other languages; nil if it has no translations.
    public let translations: Translations?
    /// The documents that the tree was composed of; nil for one document.
    public let composition: Composition?
    /// The source's own name of the state; nil if the store is to name it.
    public let revision: SourceRevision?
    /// Why the source changed.
    public let cause: Snapshot.Cause

    /// A step to a newer tree.
    public init(
        to document: Level, translations: Translations? = nil, composition: Composition? = nil,
        revision: SourceRevision? = nil, cause: Snapshot.Cause = .load
    ) {
        (self.document, self.translations, self.composition) = (document, translations, composition)
        (self.revision, self.cause) = (revision, cause)
    }
}

extension TreeAdvance: Equatable {
    /// Whether both lead to an equal tree of the same name.
    public static func == (one: TreeAdvance, other: TreeAdvance) -> Bool {
        one.document.hash == other.document.hash && one.translations == other.translations
            && one.revision == other.revision && one.cause == other.cause
    }
}
