/// The newest state of an observed level or detail, shared by all observers of it.
///
/// States are not queued. Each observer remembers the last state that it received; when it is ready for another state,
/// it takes the newest state.
final class ObservedState<Content: Sendable>: Sendable {
    private let state = Guarded(State())

    private struct State {
        var newest: Moment?
        var end: (any Error)?
        /// The observers that have received the newest state, and wait for the next state.
        var waiting: [ObjectIdentifier: CheckedContinuation<Moment?, any Error>] = [:]
    }

    /// A state of the level or the detail, and of the connection to its server.
    struct Moment: Sendable {
        /// The level or the detail; nil as long as no state is known.
        var content: Content?
        var isFromCache = false
        var interruption: Problem?
        /// The number of states before this one.
        var number = 0
    }

    /// Makes a state the newest one. A state from the cache does not count as current.
    func show(_ content: Content, isFromCache: Bool) {
        advance { _ in Moment(content: content, isFromCache: isFromCache) }
    }

    func confirm() {
        advance { newest in
            guard let newest, newest.interruption != nil || newest.isFromCache else { return nil }
            return Moment(content: newest.content)
        }
    }

    func interrupt(_ problem: Problem) {
        advance { newest in
            guard newest?.interruption != problem else { return nil }
            return Moment(
                content: newest?.content, isFromCache: newest?.isFromCache ?? false, interruption: problem)
        }
    }

    var hasContent: Bool { state.withLock { $0.newest?.content != nil } }
    /// Whether the newest state has come from the server, and the server has not failed since.
    var isCurrent: Bool {
        state.withLock { state in
            state.newest.map { $0.content != nil && !$0.isFromCache && $0.interruption == nil } ?? false
        }
    }

    /// Ends all observers with an error. An observer that has not received the newest state receives that state first.
    func end(_ error: any Error) {
        let waiting = state.withLock { state in
            let waiting = Array(state.waiting.values)
            (state.end, state.waiting) = (error, [:])
            return waiting
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }

    /// Replaces the newest state and wakes the observers; does nothing if `change` returns nil.
    private func advance(_ change: @Sendable (Moment?) -> Moment?) {
        let (newest, waiting) = state.withLock { state -> (Moment?, [CheckedContinuation<Moment?, any Error>]) in
            guard var next = change(state.newest) else { return (nil, []) }
            next.number = state.newest.map { $0.number + 1 } ?? 0
            let waiting = Array(state.waiting.values)
            (state.newest, state.waiting) = (next, [:])
            return (next, waiting)
        }
        for continuation in waiting { continuation.resume(returning: newest) }
    }
}

extension ObservedState {
    /// Waits until the newest state is a state that the observer has not received, and returns this state. Returns nil
    /// if the task is cancelled.
    ///
    /// - Parameter seen: the number of the last state that the observer received; nil for a new observer.
    func next(_ observer: ObjectIdentifier, after seen: Int?) async throws -> Moment? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var replaced: CheckedContinuation<Moment?, any Error>?
                let outcome = state.withLock { state -> Result<Moment?, any Error>? in
                    if Task.isCancelled { return .success(nil) }
                    if let newest = state.newest, newest.number != seen { return .success(newest) }
                    if let end = state.end { return .failure(end) }
                    // A copy of an iterator is the same observer. If both wait, only the latest call continues to wait.
                    replaced = state.waiting.updateValue(continuation, forKey: observer)
                    return nil
                }
                replaced?.resume(returning: nil)
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: observer) }?.resume(returning: nil)
        }
    }
}

/// An observer of a level or a detail, which remembers the last state that it received. The observation ends when the
/// observer is released.
final class Observer<Content: Sendable>: Sendable {
    private let state: ObservedState<Content>
    private let leave: @Sendable () -> Void
    private let seen = Guarded<ObservedState<Content>.Moment?>(nil)

    init(state: ObservedState<Content>, leave: @escaping @Sendable () -> Void) {
        (self.state, self.leave) = (state, leave)
    }

    deinit { leave() }

    /// Waits for a state that this observer has not received; returns nil if the task is cancelled.
    func next() async throws -> (old: Content?, newest: ObservedState<Content>.Moment)? {
        let last = seen.withLock { $0 }
        guard let newest = try await state.next(ObjectIdentifier(self), after: last?.number) else { return nil }
        seen.withLock { $0 = newest }
        return (last?.content, newest)
    }
}

/// The iterator of one observer.
struct ObserverIterator<Target: Observed>: Sendable {
    let observations: Observations
    let target: Target
    private var observer: Observer<Target.Content>?
    private var isOver = false

    init(observations: Observations, target: Target) { (self.observations, self.target) = (observations, target) }

    /// Waits for a state that this observer has not received. Returns nil if the task was cancelled, or if the
    /// observation has ended.
    mutating func next() async throws -> (old: Target.Content?, newest: ObservedState<Target.Content>.Moment)? {
        if isOver || Task.isCancelled {
            end()
            return nil
        }
        let observer = observer ?? observations.join(target)
        self.observer = observer
        do {
            let update = try await observer.next()
            if update == nil { end() }
            return update
        } catch {
            end()
            throw error
        }
    }

    /// Ends the observation immediately, before the iterator is released.
    private mutating func end() {
        isOver = true
        observer = nil
    }
}
