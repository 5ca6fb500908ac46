public import Levels
internal import Threads

/// The edits waiting for the store's thread.
struct EditQueue: Sendable {
    private let requests: Mailbox<EditRequest>
    /// Wakes the store's thread.
    private let wakeup: Wakeup

    /// The number of edits that may wait. Further edits are turned away.
    static let limit = 1_024
    /// The largest number of edits that share a save.
    static let groupLimit = 256

    init(wakeup: Wakeup) {
        self.wakeup = wakeup
        requests = Mailbox(limit: Self.limit) { wakeup.signal() }
    }

    /// Queues an edit for the store's thread, and returns immediately. If too many edits are waiting, or the queue has
    /// been stopped, the edit is answered before the method returns, on the calling thread.
    func add(_ request: EditRequest) {
        switch requests.add(request) {
        case .taken: return
        case .full: request.answer(.busy)
        case .closed: request.answer(.stopped)
        }
    }

    /// Wakes the store's thread, so that it looks for edits.
    func wake() { wakeup.signal() }

    /// Takes the edits that share the next save, in order. The caller must answer these edits.
    ///
    /// A request that replaces the whole document has a save of its own.
    func take() -> [EditRequest] { requests.take(Self.groupCount) }

    private static func groupCount(_ requests: [EditRequest]) -> Int {
        let end = requests.prefix(groupLimit).firstIndex { $0.replacesDocument } ?? min(requests.count, groupLimit)
        return end == 0 && !requests.isEmpty ? 1 : end
    }

    /// Turns away all later edits. Returns the waiting edits, which the caller must answer.
    func stop() -> [EditRequest] {
        requests.close()
        return requests.take()
    }
}

extension EditRequest {
    /// Whether the request replaces the whole document.
    var replacesDocument: Bool { if case .document = content { true } else { false } }

    /// The number of steps; 0 if the request replaces the whole document.
    var editCount: Int { if case .edits(let batch) = content { batch.edits.count } else { 0 } }
}

/// A client's request to change the document.
public struct EditRequest: Sendable {
    /// The change to make.
    public enum Content: Sendable {
        case edits(EditBatch)
        /// Replaces the document by a property list of any syntax.
        case document([UInt8])
    }

    public let content: Content
    /// The name of the client's token, for the log and for `by` in `/changes`; nil if the token has no name.
    public let author: String?
    /// Throws if the request's conditions do not hold for a state.
    ///
    /// Called on the store's thread, once for each state on which the request is tried.
    public let precondition: @Sendable (Snapshot) throws(EditRefusal) -> Void
    /// Called once with the outcome, on the store's thread. If the store does not accept the request, it is called on
    /// the thread that sends the request.
    public let answer: @Sendable (EditOutcome) -> Void

    public init(
        content: Content, author: String?,
        precondition: @escaping @Sendable (Snapshot) throws(EditRefusal) -> Void = { _ in },
        answer: @escaping @Sendable (EditOutcome) -> Void
    ) {
        self.content = content
        self.author = author
        self.precondition = precondition
        self.answer = answer
    }
}

/// The outcome of an edit.
public enum EditOutcome: Sendable {
    /// The edits are on disk and published, or they changed nothing. The values are the publication that contains the
    /// edits, and the item of each edit.
    case done(Publication, items: [EditedItem])
    /// The request cannot be carried out.
    case refused(EditRefusal)
    /// The disk is full.
    case noSpace
    /// Saving failed; `id` is the identifier under which the log gives the reason.
    ///
    /// - Parameter isUnknown: whether the document may contain the edit nevertheless, after a power failure or because
    ///   the connection to the database broke during the commit.
    case failed(id: String, isUnknown: Bool = false)
    /// Too many edits are waiting, or the source cannot be written for the moment; a later attempt may succeed.
    case busy
    /// The source's database is not connected; a later attempt may succeed.
    case away
    /// The store stopped before it applied the edit.
    case stopped
}

/// The edits that were taken from the queue and have not yet been answered, and the state of the attempts to save them.
struct OpenEdits {
    private(set) var requests: [EditRequest] = []
    /// The maximum number of requests to save together. It is set after the source has refused an edit of a larger
    /// group.
    private var groupLimit = Int.max
    /// The number of attempts to save the group that failed because another program changed a file, or had a file open
    /// for writing.
    private(set) var attempts = 0
    /// The time of the next attempt; nil means immediately.
    private(set) var next: ContinuousClock.Instant?

    /// The largest number of attempts. The pauses between the attempts add up to more than two seconds.
    private static let limit = 9
    private static let firstPause = Duration.milliseconds(10)

    /// Takes waiting requests from the queue, unless some requests are still open.
    mutating func fill(from queue: EditQueue) {
        guard requests.isEmpty else { return }
        requests = queue.take()
    }

    /// The requests to save together next.
    var group: ArraySlice<EditRequest> { requests.prefix(groupLimit) }

    /// Makes the next group contain only the first `count` requests.
    mutating func split(after count: Int) { groupLimit = count }

    /// Schedules another attempt. Returns false if no attempt is left.
    ///
    /// - Parameter isNew: whether a newer tree was published since the failed attempt. If so, the next attempt needs no
    ///   pause.
    mutating func postpone(at now: ContinuousClock.Instant, isNew: Bool) -> Bool {
        attempts += 1
        next = isNew ? nil : now + Self.firstPause * (1 << (attempts - 1))
        return attempts < Self.limit
    }

    /// Whether it is time for the next attempt.
    func isDue(at now: ContinuousClock.Instant) -> Bool { !requests.isEmpty && next.map { now >= $0 } ?? true }

    /// Removes and returns all requests, for the caller to answer.
    mutating func close() -> [EditRequest] {
        defer { self = OpenEdits() }
        return requests
    }

    /// Removes requests that were answered.
    mutating func remove(first count: Int) {
        requests.removeFirst(count)
        (attempts, next, groupLimit) = (0, nil, .max)
    }
}
