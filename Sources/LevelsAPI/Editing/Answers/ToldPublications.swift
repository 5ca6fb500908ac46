import Locking

/// Postpones answers until the changes of their publication can be asked for.
///
/// A snapshot is served as soon as it is published, but `/changes` and those who wait are told a moment later, on
/// another thread. A client that has the answer to its edit must find the edit there too.
final class ToldPublications: Sendable {
    private struct State {
        /// The number of the latest publication of which all are told.
        var number = 0
        var postponed: [(number: Int, answer: @Sendable () -> Void)] = []
    }

    private let state = Guarded(State())

    /// Runs an answer when all are told of a publication: at once, or on the thread that tells.
    func after(_ number: Int, _ answer: @escaping @Sendable () -> Void) {
        let isTold = state.withLock { state in
            if state.number < number { state.postponed.append((number, answer)) }
            return state.number >= number
        }
        if isTold { answer() }
    }

    /// Notes that all are told of a publication and of those before it.
    func note(_ number: Int) {
        let due = state.withLock { state in
            state.number = max(state.number, number)
            let due = state.postponed.filter { $0.number <= state.number }.map(\.answer)
            state.postponed.removeAll { $0.number <= state.number }
            return due
        }
        for answer in due { answer() }
    }
}
