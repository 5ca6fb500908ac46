public import TreeSources

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
