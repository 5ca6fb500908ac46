internal import Levels
import Locking
internal import Threads

/// The edits that wait for the store's thread.
final class EditQueue: Sendable {
    private struct Waiting {
        var isStopped = false
        var requests: [EditRequest] = []
    }

    private let waiting = Guarded(Waiting())
    /// Wakes the store's thread.
    private let wakeup: Wakeup

    /// How many edits may wait; further ones are turned away.
    static let limit = 1_024
    /// How many edits share a save at most.
    static let groupLimit = 256

    init(wakeup: Wakeup) { self.wakeup = wakeup }

    /// Has the store's thread perform an edit, unless too many are waiting; returns at once.
    func add(_ request: EditRequest) {
        let refusal: EditOutcome? = waiting.withLock { waiting in
            if waiting.isStopped { return .stopped }
            if waiting.requests.count >= Self.limit { return .busy }
            waiting.requests.append(request)
            return nil
        }
        if let refusal { request.answer(refusal) } else { wakeup.signal() }
    }

    /// Has the store's thread look for edits.
    func wake() { wakeup.signal() }

    /// Takes the edits that share the next save, in their order; the caller must answer them.
    ///
    /// A request that replaces the whole document has a save of its own.
    func take() -> [EditRequest] {
        let (taken, isMore) = waiting.withLock { waiting in
            let count = Self.groupCount(waiting.requests)
            let taken = Array(waiting.requests[..<count])
            waiting.requests.removeFirst(count)
            return (taken, !waiting.requests.isEmpty)
        }
        if isMore { wakeup.signal() }
        return taken
    }

    private static func groupCount(_ requests: [EditRequest]) -> Int {
        let end = requests.prefix(groupLimit).firstIndex { $0.replacesDocument } ?? min(requests.count, groupLimit)
        return end == 0 && !requests.isEmpty ? 1 : end
    }

    /// Turns away all later edits, and takes those that wait; the caller must answer them.
    func stop() -> [EditRequest] {
        waiting.withLock { waiting in
            defer { waiting.requests = [] }
            waiting.isStopped = true
            return waiting.requests
        }
    }
}

extension EditRequest {
    /// Whether it replaces the whole document.
    var replacesDocument: Bool { if case .document = content { true } else { false } }

    /// The number of its steps; 0 if it replaces the whole document.
    var editCount: Int { if case .edits(let batch) = content { batch.edits.count } else { 0 } }
}
