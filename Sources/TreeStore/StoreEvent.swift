public import Levels
public import TreeSources

/// An event in a store, for logs.
public enum StoreEvent: Sendable {
    /// A tree was loaded and published.
    case loaded(Snapshot, took: Duration)
    /// The source brought a newer tree without a load, which is published.
    case advanced(Snapshot)
    /// The source was read and matches what is already published.
    case unchanged(Snapshot, took: Duration)
    /// The source matches what is published again, after it could not be loaded; sent in addition to `unchanged`.
    case recovered(Snapshot)
    /// The source could not be loaded; the previous tree is still served.
    ///
    /// - Parameter took: how long it was read; zero if it could not be fetched.
    case refused(SourceError, took: Duration)
    /// A client's request changed the document: it is on disk and published.
    ///
    /// - Parameters:
    ///   - author: the name of the client's token; nil for one without a name.
    ///   - edits: the number of steps of the request; 0 if it replaced the whole document.
    ///   - took: from the request's turn until it was published.
    case edited(Snapshot, author: String?, edits: Int, took: Duration)
    /// Edits of several requests are on disk, by one save; sent before their `edited`.
    case saved(requests: Int, took: Duration)
    /// Edits could not be saved, for a reason that only the log may tell.
    ///
    /// - Parameters:
    ///   - id: what the clients were told.
    ///   - reason: a sentence without the final full stop.
    case notSaved(id: String, reason: String)
    /// Warnings of a load that was published.
    case warnings([SourceWarning], omitted: Int)
}

/// Whether the published tree matches the source.
public enum StoreStatus: Sendable, Equatable {
    /// The latest load was published, or brought nothing new.
    case ok
    /// The latest load was refused, at a time in seconds since 1970; the previous tree is still served.
    case stale(SourceError, since: Double)

    /// The message of the refused load; nil if the latest load succeeded.
    public var lastError: String? {
        switch self {
        case .ok: nil
        case .stale(let error, _): error.description
        }
    }
}

/// Whether a source's database is connected.
public struct DatabaseConnection: Sendable, Equatable {
    /// False while the source connects again.
    public let isConnected: Bool
    /// Since when that is so, in seconds since 1970.
    public let since: Double

    public init(isConnected: Bool, since: Double) { (self.isConnected, self.since) = (isConnected, since) }
}

/// How one reload ended.
public enum ReloadOutcome: Sendable {
    /// A new tree is published.
    case published(Snapshot)
    /// The source matches what is already published.
    case unchanged(Snapshot)
    /// The source could not be loaded; the previous tree is still served.
    case refused(SourceError)
    /// The store stopped before the reload began.
    case stopped

    /// Whether it was refused only because there was no memory for it.
    public var isOutOfMemory: Bool { if case .refused(let error) = self { error.isOutOfMemory } else { false } }
}
