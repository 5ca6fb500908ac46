import Locking
internal import Threads

/// Requests of other threads to the store's thread.
final class ReloadRequests: Sendable {
    typealias Answer = @Sendable (ReloadOutcome) -> Void

    private struct Waiting {
        var isStopped = false
        var answers: [Answer] = []
    }

    private let waiting = Guarded(Waiting())
    /// Wakes the store's thread.
    let wakeup: Wakeup

    init(wakeup: Wakeup) { self.wakeup = wakeup }

    /// Asks for a reload; `answer` is called when it is done.
    func ask(_ answer: @escaping Answer) {
        let isTaken = waiting.withLock { waiting in
            if !waiting.isStopped { waiting.answers.append(answer) }
            return !waiting.isStopped
        }
        if isTaken { wakeup.signal() } else { answer(.stopped) }
    }

    /// Asks the thread to end.
    func stop() {
        waiting.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    var isStopped: Bool { waiting.withLock { $0.isStopped } }

    /// Takes the requests so far; the caller must answer them.
    func take() -> [Answer] {
        waiting.withLock { waiting in
            defer { waiting.answers = [] }
            return waiting.answers
        }
    }
}
