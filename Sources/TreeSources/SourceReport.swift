/// What happened to a watched source.
public enum SourceReport: Sendable, Equatable {
    /// The source may have changed, and may soon change again, as in the steps of a save.
    case changed
    /// A complete document was fetched and can be loaded.
    case arrived
    /// The source was requested and has not changed since the last load.
    case confirmed
    /// The source was requested and returned no document.
    case failed(SourceError)
}
