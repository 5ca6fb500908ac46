public import TreeStore

/// What changes the document on behalf of clients: the store, or a substitute in tests.
public protocol DocumentEditor: Sendable {
    /// Carries out an edit; the request's `answer` is called once, when it is durable and published, or cannot be done.
    func edit(_ request: EditRequest)

    /// Loads the source again.
    ///
    /// - Parameter answer: called once, when that is done.
    func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void)
}

extension TreeStore: DocumentEditor {}
