public import Levels
public import TreeSources

/// An event in a store, for logs.
public enum StoreEvent: Sendable {
    /// A tree was loaded and published.
    case loaded(Snapshot, took: Duration)
    /// The source derived a newer tree without a load, and the newer tree is published.
    case advanced(Snapshot)
    /// The source was read and matches the published tree.
    case unchanged(Snapshot, took: Duration)
    /// The source matches the published tree again, after loads had failed; sent in addition to `unchanged`.
    case recovered(Snapshot)
    /// The source could not be loaded; the previous tree is still served.
    ///
    /// - Parameter took: the duration of the read; zero if the source could not be fetched.
    case refused(SourceError, took: Duration)
    /// A client's edit is on disk and published.
    ///
    /// - Parameters:
    ///   - author: the name of the client's token; nil for a token without a name.
    ///   - edits: the number of steps; 0 if the request replaced the whole document.
    ///   - took: the time since the beginning of the request's group, including the save.
    case edited(Snapshot, author: String?, edits: Int, took: Duration)
    /// The edits of one or more requests are on disk, after one save. Sent before the `edited` of each request.
    case saved(requests: Int, took: Duration)
    /// Edits could not be saved; only the log shows the reason.
    ///
    /// - Parameters:
    ///   - id: the identifier in the problems that the clients receive.
    ///   - reason: a sentence without the final full stop.
    ///   - isUnknown: whether the edits may have been saved after all.
    case notSaved(id: String, reason: String, isUnknown: Bool = false)
    /// No edit of the document can be saved. Sent after the first load.
    case readOnly(SaveRefusal)
    /// How a document was read that is not a document of items, as a sentence without its full stop. Sent after the first
    /// load, and after each later load that read it otherwise.
    ///
    /// - Parameter isChange: whether an earlier load read the document otherwise, so that paths may have changed.
    case reading(String, isChange: Bool)
    /// The first warnings of a published load; `omitted` is the number of further warnings.
    case warnings([SourceWarning], omitted: Int)
}

/// The state of the published tree: it matches the source, or is out of date.
public enum StoreStatus: Sendable, Equatable {
    /// The latest load was published, or found nothing new.
    case ok
    /// The latest load was refused, or the outcome of a save is unknown. The previous tree is still served.
    ///
    /// `since` is the time at which the store noted this, in seconds since 1970.
    case stale(SourceError, since: Double)

    /// The message of the refused load, or of the save whose outcome is unknown; nil if the tree matches the source.
    public var lastError: String? {
        switch self {
        case .ok: nil
        case .stale(let error, _): error.description
        }
    }
}

/// The state of the connection to a source's database.
public struct DatabaseConnection: Sendable, Equatable {
    /// False while the source reconnects.
    public let isConnected: Bool
    /// The time at which this state began, in seconds since 1970.
    public let since: Double
    /// The work with the database since the start of the program.
    public var work = DatabaseWork()

    public init(isConnected: Bool, since: Double) { (self.isConnected, self.since) = (isConnected, since) }
}

/// The outcome of a reload.
public enum ReloadOutcome: Sendable {
    /// A new tree is published.
    case published(Snapshot)
    /// The source matches the published tree.
    case unchanged(Snapshot)
    /// The source could not be loaded; the previous tree is still served.
    case refused(SourceError)
    /// The store stopped before the reload began.
    case stopped

    /// Whether the reload was refused only for lack of memory.
    public var isOutOfMemory: Bool { if case .refused(let error) = self { error.isOutOfMemory } else { false } }
}
