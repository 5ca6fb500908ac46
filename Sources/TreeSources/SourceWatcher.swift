public import Levels
public import Threads

/// Watches a source for one thread, without ever blocking it, and loads the source on that thread.
///
/// The thread collects the waits of all its watchers, waits for all of them together, and then advances each watcher.
/// Only that thread may use a watcher. A watcher reports every change after its creation. A new kind of source that
/// reports changes implements `load`, `addWaits` and `advance`; the other members have defaults.
public protocol SourceWatcher: AnyObject {
    /// Requests the current state of the source.
    ///
    /// - Returns: true if the source can be loaded at once. Otherwise `advance` later reports that the document has
    ///   arrived, or that the request has failed.
    func refresh() -> Bool

    /// Loads the source; a remote source loads the document that was fetched last. The first load may block until the
    /// source has answered.
    ///
    /// - Parameter old: the tree to replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if the source cannot be loaded; the watcher does not change then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The fingerprint that a load would have now; nil if only a load can determine the fingerprint. Cheap to call.
    var fingerprint: Fingerprint? { get }

    /// The edits that can be saved at a path of the latest loaded tree. The parts of one source may differ. Cheap to
    /// call.
    func savability(at path: ItemPath) -> Savability

    /// Whether the source's database is connected; nil for other sources. Cheap to call.
    var isConnected: Bool? { get }

    /// The work with the source's database so far; empty for other sources. Cheap to call.
    var databaseWork: DatabaseWork { get }

    /// Whether another program is probably saving the source now; false if unknown. Cheap to call.
    var isBeingWritten: Bool { get }

    /// Sets the closure that reports a database connection that breaks during a save. The watcher calls the closure
    /// before the save waits for the outcome of the commit.
    func whenInDoubt(_ report: @escaping (SourceError) -> Void)

    /// Begins edits of the latest loaded tree.
    ///
    /// - Throws: `EditRefusal`, with the reason, if nothing in the source can be edited.
    func beginEdits() throws(EditRefusal) -> any EditGroup

    /// Adds the descriptors to wait for and the next deadline.
    func addWaits(to waits: inout WaitSet)

    /// Does all work that is due, without blocking.
    ///
    /// - Parameter now: the time of this turn of the thread's loop, the same for all its watchers.
    /// - Returns: the next event; nil if nothing has happened. If further events are ready, the next wait ends at once.
    func advance(at now: ContinuousClock.Instant) -> SourceReport?
}

/// By default, a source is loaded on request only, reports no changes, and cannot be edited.
extension SourceWatcher {
    public func refresh() -> Bool { true }

    public var fingerprint: Fingerprint? { nil }

    public func savability(at path: ItemPath) -> Savability { .nothing(.elsewhere) }

    public var isConnected: Bool? { nil }

    public var databaseWork: DatabaseWork { DatabaseWork() }

    public var isBeingWritten: Bool { false }

    public func whenInDoubt(_ report: @escaping (SourceError) -> Void) {}

    public func beginEdits() throws(EditRefusal) -> any EditGroup {
        if case .nothing(let refusal) = savability(at: .root) { throw EditRefusal(refusal) }
        throw EditRefusal(.elsewhere)
    }

    public func addWaits(to waits: inout WaitSet) {}

    public func advance(at now: ContinuousClock.Instant) -> SourceReport? { nil }
}

/// An event of a watched source.
public enum SourceReport: Sendable, Equatable {
    /// The source may have changed. It may soon change again, because a save can take several steps.
    case changed
    /// A complete document was fetched and can be loaded.
    case arrived
    /// The watcher already has newer trees, in order from the oldest. Each tree is published, without a load.
    case advanced([TreeAdvance])
    /// Other programs have committed to databases whose rows are read for each answer. The same tree is published
    /// again.
    case committed
    /// The source was requested and has not changed since the last load.
    case confirmed
    /// The source was requested and returned no document.
    case failed(SourceError)
}

/// A newer tree that a watcher derives without a load, for example from an entry of a change log.
public struct TreeAdvance: Sendable {
    /// The new document: a level whose only row is the root item.
    public let document: Level
    /// The rows that answer requests in place of the document; nil if the tree is in memory.
    public let rows: (any RowSource)?
    /// The document in other languages, if it has translations.
    public let translations: Translations?
    /// The documents that the tree was composed of; nil for a single document.
    public let composition: Composition?
    /// The source's own name for the state; nil to let the store name it.
    public let revision: SourceRevision?
    /// The cause of the change.
    public let cause: Snapshot.Cause

    /// Creates an advance to a newer tree.
    public init(
        to document: Level, rows: (any RowSource)? = nil, translations: Translations? = nil,
        composition: Composition? = nil, revision: SourceRevision? = nil, cause: Snapshot.Cause = .load
    ) {
        (self.document, self.rows, self.translations) = (document, rows, translations)
        (self.composition, self.revision, self.cause) = (composition, revision, cause)
    }
}

extension TreeAdvance: Equatable {
    /// Whether two advances have equal documents, translations, revisions and causes.
    public static func == (one: TreeAdvance, other: TreeAdvance) -> Bool {
        one.document.hash == other.document.hash && one.translations == other.translations
            && one.revision == other.revision && one.cause == other.cause
    }
}
