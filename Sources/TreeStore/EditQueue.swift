public import Levels
internal import Threads

/// The edits that wait for the store's thread.
struct EditQueue: Sendable {
    private let requests: Mailbox<EditRequest>
    /// Wakes the store's thread.
    private let wakeup: Wakeup

    /// How many edits may wait; further ones are turned away.
    static let limit = 1_024
    /// How many edits share a save at most.
    static let groupLimit = 256

    init(wakeup: Wakeup) {
        self.wakeup = wakeup
        requests = Mailbox(limit: Self.limit) { wakeup.signal() }
    }

    /// Has the store's thread perform an edit, unless too many are waiting; returns at once.
    func add(_ request: EditRequest) {
        switch requests.add(request) {
        case .taken: return
        case .full: request.answer(.busy)
        case .closed: request.answer(.stopped)
        }
    }

    /// Has the store's thread look for edits.
    func wake() { wakeup.signal() }

    /// Takes the edits that share the next save, in their order; the caller must answer them.
    ///
    /// A request that replaces the whole document has a save of its own.
    func take() -> [EditRequest] { requests.take(Self.groupCount) }

    private static func groupCount(_ requests: [EditRequest]) -> Int {
        let end = requests.prefix(groupLimit).firstIndex { $0.replacesDocument } ?? min(requests.count, groupLimit)
        return end == 0 && !requests.isEmpty ? 1 : end
    }

    /// Turns away all later edits, and takes those that wait; the caller must answer them.
    func stop() -> [EditRequest] {
        requests.close()
        return requests.take()
    }
}

extension EditRequest {
    /// Whether it replaces the whole document.
    var replacesDocument: Bool { if case .document = content { true } else { false } }

    /// The number of its steps; 0 if it replaces the whole document.
    var editCount: Int { if case .edits(let batch) = content { batch.edits.count } else { 0 } }
}

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
    /// Too many edits are waiting, or the source cannot be written to for the moment; a later attempt may succeed.
    case busy
    /// There is no connection to the source's database; a later attempt may succeed.
    case away
    /// The store stopped before.
    case stopped
}

/// The edits that were taken from the queue and are not answered yet, and how often they were tried.
struct OpenEdits {
    private(set) var requests: [EditRequest] = []
    /// How many of them may be saved together, after the source has refused one of a larger group.
    private var groupLimit = Int.max
    /// How often someone else changed a file before they were saved.
    private(set) var attempts = 0
    /// When they are tried again; nil for at once.
    private(set) var next: ContinuousClock.Instant?

    /// How often they are tried at most; the pauses between them add up to more than two seconds.
    private static let limit = 9
    private static let firstPause = Duration.milliseconds(10)

    /// Adds requests that wait, if none are open.
    mutating func fill(from queue: EditQueue) {
        guard requests.isEmpty else { return }
        requests = queue.take()
        (attempts, next) = (0, nil)
    }

    /// Those that are saved together next.
    var group: ArraySlice<EditRequest> { requests.prefix(groupLimit) }

    /// Has the first of them saved without the others.
    mutating func split(after count: Int) { groupLimit = count }

    /// Notes that they must be tried again; false if that was too often.
    ///
    /// - Parameter isNew: whether they are tried on another tree, so that there is nothing to wait for.
    mutating func postpone(at now: ContinuousClock.Instant, isNew: Bool) -> Bool {
        attempts += 1
        next = isNew ? nil : now + Self.firstPause * (1 << (attempts - 1))
        return attempts < Self.limit
    }

    /// Whether they can be tried now.
    func isDue(at now: ContinuousClock.Instant) -> Bool { !requests.isEmpty && next.map { now >= $0 } ?? true }

    /// Takes all of them to be answered.
    mutating func close() -> [EditRequest] {
        defer { self = OpenEdits() }
        return requests
    }

    /// Removes those that were answered.
    mutating func remove(first count: Int) {
        requests.removeFirst(count)
        (attempts, next, groupLimit) = (0, nil, .max)
    }
}
