public import TreeSources

/// Whether the published tree is that of the source.
public enum StoreStatus: Sendable, Equatable {
    /// The latest load was published, or brought nothing new.
    case ok
    /// The latest load was refused, at a time in seconds since 1970; the tree before it goes on.
    case stale(SourceError, since: Double)

    /// The sentence of the load that was refused; nil where all is well.
    public var lastError: String? {
        switch self {
        case .ok: nil
        case .stale(let error, _): error.description
        }
    }
}
