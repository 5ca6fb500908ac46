public import Levels

/// A client's request to change the document.
public struct EditRequest: Sendable {
    /// What is to be done.
    public enum Content: Sendable {
        case edits(EditBatch)
        /// Replaces the document by a property list of any syntax.
        case document([UInt8])
    }

    public let content: Content
    /// Who edits, for the log and for `by` in `/changes`; nil for a token without a name.
    public let author: String?
    /// Throws if the request's conditions do not hold for the state that it is applied to.
    ///
    /// Called on the store's thread, for each state that the request is tried on.
    public let precondition: @Sendable (Snapshot) throws(EditRefusal) -> Void
    /// Called once, on one of the store's threads, when the edits are on disk and published, or cannot be.
    public let answer: @Sendable (EditOutcome) -> Void

    public init(
        _ content: Content, author: String?,
        precondition: @escaping @Sendable (Snapshot) throws(EditRefusal) -> Void = { _ in },
        answer: @escaping @Sendable (EditOutcome) -> Void
    ) {
        self.content = content
        self.author = author
        self.precondition = precondition
        self.answer = answer
    }
}

/// How an edit ended.
public enum EditOutcome: Sendable {
    /// It is on disk and published, or has changed nothing: the publication that contains it, and what became of the
    /// item of each edit.
    case done(Publication, items: [EditedItem])
    /// It cannot be done.
    case refused(EditRefusal)
    /// The disk is full.
    case noSpace
    /// It could not be saved; the log has the reason under this identifier.
    ///
    /// - Parameter isUnknown: whether it is not known if the document has the edit after a power failure.
    case failed(id: String, isUnknown: Bool = false)
    /// Too many edits are waiting; a later attempt may succeed.
    case busy
    /// The store stopped before.
    case stopped
}
