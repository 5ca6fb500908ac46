internal import Synchronization
internal import Threads

/// Checks that the store's thread is alive: that it takes turns, or reads or writes the source.
///
/// The source may take any time, for example on a network file system that hangs; the published tree is served
/// meanwhile.
final class StorePulse: Sendable {
    typealias Answer = @Sendable () -> Void

    private let answers: Mailbox<Answer>
    private let isAtSource = Atomic(false)

    /// - Parameter wakeup: wakes the store's thread.
    init(wakeup: Wakeup) { answers = Mailbox { wakeup.signal() } }

    /// Calls `answer` at the thread's next turn, or at once if the thread is reading or writing the source.
    func ask(_ answer: @escaping Answer) {
        answers.add(answer)
        // The answer is added before the flag is read, and the flag is set before answers are taken, so one of the two
        // threads calls it.
        if isAtSource.load(ordering: .sequentiallyConsistent) { beat() }
    }

    /// Calls the waiting answers; called at each turn of the thread.
    func beat() { for answer in answers.take() { answer() } }

    /// Runs `body`, which reads or writes the source; meanwhile, `ask` calls its answer at once.
    func atSource<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        isAtSource.store(true, ordering: .sequentiallyConsistent)
        defer { isAtSource.store(false, ordering: .sequentiallyConsistent) }
        beat()
        return try body()
    }
}
