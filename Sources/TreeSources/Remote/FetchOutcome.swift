/// The outcome of one request.
enum FetchOutcome {
    case fetched(FetchedDocument)
    /// The document is the one whose validators were sent.
    case confirmed(isWaitApplied: Bool)
    /// `retryAfter`: the pause that the origin asks for.
    case failed(SourceError, retryAfter: Duration?)
}
