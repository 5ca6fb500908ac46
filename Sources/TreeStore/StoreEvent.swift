public import TreeSources

/// What happened in a store, for logs.
public enum StoreEvent: Sendable {
    /// A tree was loaded and published.
    case loaded(Snapshot, syntax: PropertyListSyntax, took: Duration)
    /// The source was read and holds what is published already.
    case unchanged(Snapshot, took: Duration)
    /// The source holds what is published, after it could not be loaded; told beside `unchanged`.
    case recovered(Snapshot)
    /// The source could not be loaded; the tree before goes on.
    case refused(SourceError)
    /// What a load that was published found odd.
    case warnings([SourceWarning], omitted: Int)
}

/// How one reload ended.
public enum ReloadOutcome: Sendable {
    /// A new tree is published.
    case published(Snapshot)
    /// The source holds what is published already.
    case unchanged(Snapshot)
    /// The source could not be loaded; the tree before goes on.
    case refused(SourceError)
    /// The store stopped before the reload began.
    case stopped
}
