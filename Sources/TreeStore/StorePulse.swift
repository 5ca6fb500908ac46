internal import Synchronization
internal import Threads

/// Checks that the store's thread is alive: it takes turns, or it is reading or writing the source.
///
/// Reading or writing the source may take any time, for example on a network file system that hangs. The published tree
/// is served meanwhile.
final class StorePulse: Sendable {
    typealias Answer = @Sendable () -> Void

    private let answers: Mailbox<Answer>
    private let isAtSource = Atomic(false)

    /// - Parameter wakeup: wakes the store's thread.
    init(wakeup: Wakeup) { answers = Mailbox { wakeup.signal() } }

    /// Calls `answer` at the thread's next turn, or immediately if the thread is reading or writing the source.
    func ask(_ answer: @escaping Answer) {
        answers.add(answer)
        // This thread adds the answer before it reads the flag. The store's thread sets the flag before it takes the
        // answers. So one of the two threads calls the answer.
        if isAtSource.load(ordering: .sequentiallyConsistent) { beat() }
    }

    /// Calls the waiting answers. The store's thread does this at each turn.
    func beat() { for answer in answers.take() { answer() } }

    /// Runs `body`, which reads or writes the source. Until it ends, `ask` calls its closure on the caller's thread.
    func atSource<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        isAtSource.store(true, ordering: .sequentiallyConsistent)
        defer { isAtSource.store(false, ordering: .sequentiallyConsistent) }
        beat()
        return try body()
    }
}
