/// The edits that were taken from the queue and are not answered yet, and how often they were tried.
struct OpenEdits {
    private(set) var requests: [EditRequest] = []
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
        (attempts, next) = (0, nil)
    }
}
