internal import Locking
internal import Threads

/// Answers whether the store's thread is alive: it takes turns, or reads or writes the source.
///
/// A source may take as long as it needs, such as a hung network file system; what is published is served meanwhile.
final class StorePulse: Sendable {
    typealias Answer = @Sendable () -> Void

    private struct State {
        var isAtSource = false
        var answers: [Answer] = []
    }

    private let state = Guarded(State())
    private let wakeup: Wakeup

    /// - Parameter wakeup: wakes the store's thread.
    init(wakeup: Wakeup) { self.wakeup = wakeup }

    /// Has an answer called at the thread's next turn, or at once if the thread is at the source.
    func ask(_ answer: @escaping Answer) {
        let isAtSource = state.withLock { state in
            if !state.isAtSource { state.answers.append(answer) }
            return state.isAtSource
        }
        if isAtSource { answer() } else { wakeup.signal() }
    }

    /// The thread takes a turn.
    func beat() {
        let answers = state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
        for answer in answers { answer() }
    }

    /// Runs what reads or writes the source.
    func atSource<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        beat()
        state.withLock { $0.isAtSource = true }
        defer { state.withLock { $0.isAtSource = false } }
        return try body()
    }
}
