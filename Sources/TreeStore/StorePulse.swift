internal import Synchronization
internal import Threads

/// Answers whether the store's thread is alive: it takes turns, or reads or writes the source.
///
/// A source may take as long as it needs, such as a hung network file system; what is published is served meanwhile.
final class StorePulse: Sendable {
    typealias Answer = @Sendable () -> Void

    private let answers: Mailbox<Answer>
    private let isAtSource = Atomic(false)

    /// - Parameter wakeup: wakes the store's thread.
    init(wakeup: Wakeup) { answers = Mailbox { wakeup.signal() } }

    /// Has an answer called at the thread's next turn, or at once if the thread is at the source.
    func ask(_ answer: @escaping Answer) {
        answers.add(answer)
        // Looked at after the answer was added, and set before answers are taken: one of the two threads calls it.
        if isAtSource.load(ordering: .sequentiallyConsistent) { beat() }
    }

    /// The thread takes a turn.
    func beat() { for answer in answers.take() { answer() } }

    /// Runs what reads or writes the source.
    func atSource<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        isAtSource.store(true, ordering: .sequentiallyConsistent)
        defer { isAtSource.store(false, ordering: .sequentiallyConsistent) }
        beat()
        return try body()
    }
}
