import Levels
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

/// Collects trees that no reader holds any more, so that the store frees them and no reader pays for it.
final class ReleasedTrees: Sendable {
    private struct Contents {
        var trees: [Level] = []
        var isClosed = false
    }

    private let contents = Guarded(Contents())
    /// Wakes the store's thread.
    private let wakeup: Wakeup

    init(wakeup: Wakeup) { self.wakeup = wakeup }

    /// Takes over the tree of a snapshot that is being deallocated.
    func take(_ tree: Level) {
        let isTaken = contents.withLock { contents in
            if !contents.isClosed { contents.trees.append(tree) }
            return !contents.isClosed
        }
        if isTaken { wakeup.signal() }
    }

    /// Whether there are trees to free.
    var hasAny: Bool { contents.withLock { !$0.trees.isEmpty } }

    /// Frees the collected trees; returns whether there were any.
    func free() -> Bool {
        // They are freed when this returns, outside of the lock.
        let trees = contents.withLock { contents in
            defer { contents.trees = [] }
            return contents.trees
        }
        return !trees.isEmpty
    }

    /// Frees the collected trees and collects no more; trees that are released later are freed by their last reader.
    func close() {
        contents.withLock { $0.isClosed = true }
        _ = free()
    }
}
