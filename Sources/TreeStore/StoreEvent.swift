public import Levels
public import TreeSources

/// An event in a store, for logs.
public enum StoreEvent: Sendable {
    /// A tree was loaded and published.
    case loaded(Snapshot, syntax: PropertyListSyntax, took: Duration)
    /// The source was read and matches what is already published.
    case unchanged(Snapshot, took: Duration)
    /// The source matches what is published again, after it could not be loaded; sent in addition to `unchanged`.
    case recovered(Snapshot)
    /// The source could not be loaded; the previous tree is still served.
    case refused(SourceError)
    /// Warnings of a load that was published.
    case warnings([SourceWarning], omitted: Int)
}
