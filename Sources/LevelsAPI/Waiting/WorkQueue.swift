import Locking
import Threads

/// Work that takes long, done in order of arrival on one thread of low priority, so that it delays no other request.
///
/// The thread starts with the first work and ends when none is left: an idle service has none.
final class WorkQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        /// What is still to be done, and nil for what is done.
        var works: [Work?] = []
        var next = 0
        var isRunning = false
        var count: Int { works.count - next }
    }

    private let state = Guarded(State())
    /// How many works of requests may be ahead of a new one.
    private let capacity: Int
    /// Runs its argument on a thread.
    private let start: @Sendable (@escaping Work) -> Void

    /// - Parameters:
    ///   - capacity: how many works may be ahead of one that `add` takes.
    ///   - start: runs its argument on a thread of its own; tests choose when it runs.
    init(capacity: Int = 128, start: @escaping @Sendable (@escaping Work) -> Void = WorkQueue.onThread) {
        self.capacity = capacity
        self.start = start
    }

    /// Adds the work of a request; false if there is too much work already.
    func add(_ work: @escaping Work) -> Bool { add(work, ahead: capacity) }

    /// Adds work whose amount something else limits.
    func addUnlimited(_ work: @escaping Work) { _ = add(work, ahead: .max) }

    /// How many works wait.
    var count: Int { state.withLock(\.count) }

    private func add(_ work: @escaping Work, ahead limit: Int) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard state.count < limit else { return (false, false) }
            state.works.append(work)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if isFirst { start { self.run() } }
        return isTaken
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> Work? {
        state.withLock { state in
            guard state.next < state.works.count else {
                state = State()
                return nil
            }
            defer { state.next += 1 }
            // So that a queue that never gets empty does not grow.
            if state.next > 1_024, state.next > state.works.count / 2 {
                state.works.removeFirst(state.next)
                state.next = 0
            }
            return state.works[state.next].take()
        }
    }

    /// The niceness of the thread: whatever serves other requests goes first.
    private static let niceness: Int32 = 5

    /// Runs work on a new thread; if the system starts none, on this one.
    static func onThread(_ work: @escaping Work) {
        do {
            _ = try Thread(name: "work") {
                Thread.setNiceness(niceness)
                work()
            }
        } catch {
            work()
        }
    }
}
