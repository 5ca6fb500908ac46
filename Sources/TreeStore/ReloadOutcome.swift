public import Levels
public import TreeSources

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
