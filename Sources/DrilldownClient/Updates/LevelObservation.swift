/// The newest state of an observed level, which all its observers share.
///
/// States are not queued: each observer remembers which state it saw, and takes the newest one when it is ready.
final class LevelObservation: Sendable {
    private let state = Guarded(State())

    private struct State {
        var newest: Moment?
        var end: (any Error)?
        /// The observers that have seen the newest state, and wait for the next.
        var waiting: [ObjectIdentifier: CheckedContinuation<Moment?, any Error>] = [:]
    }

    /// A state of the level, and of the connection to its server.
    struct Moment: Sendable {
        /// Nil while no state of the level is known.
        var level: Level?
        var isFromCache = false
        var interruption: Problem?
        /// The number of states before this one.
        var number = 0
    }

    /// Shows a state of the level, which is current unless it is from the cache.
    func show(_ level: Level, isFromCache: Bool) {
        advance { _ in Moment(level: level, isFromCache: isFromCache) }
    }

    func confirm() {
        advance { newest in
            guard let newest, newest.interruption != nil || newest.isFromCache else { return nil }
            return Moment(level: newest.level)
        }
    }

    func interrupt(_ problem: Problem) {
        advance { newest in
            guard newest?.interruption != problem else { return nil }
            return Moment(
                level: newest?.level, isFromCache: newest?.isFromCache ?? false, interruption: problem)
        }
    }

    var hasLevel: Bool { state.withLock { $0.newest?.level != nil } }

    /// Ends all observers with an error, after each has got the newest state that it has not seen.
    func end(_ error: any Error) {
        let waiting = state.withLock { state in
            let waiting = Array(state.waiting.values)
            (state.end, state.waiting) = (error, [:])
            return waiting
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }

    /// Replaces the newest state and wakes the observers; nothing happens if the change is nil.
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

extension LevelObservation {
    /// The newest state that an observer has not seen, as soon as there is one; nil if the task is cancelled.
    ///
    /// - Parameter seen: the number of the state that the observer saw last.
    func next(_ observer: ObjectIdentifier, after seen: Int?) async throws -> Moment? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var replaced: CheckedContinuation<Moment?, any Error>?
                let outcome = state.withLock { state -> Result<Moment?, any Error>? in
                    if Task.isCancelled { return .success(nil) }
                    if let newest = state.newest, newest.number != seen { return .success(newest) }
                    if let end = state.end { return .failure(end) }
                    // A copy of an iterator waits for the same observer; only the latest waits on.
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

/// An observer of a level and its last seen state. It leaves when it is released.
final class LevelObserver: Sendable {
    private let observation: LevelObservation
    private let leave: @Sendable () -> Void
    private let seen = Guarded<LevelObservation.Moment?>(nil)

    init(_ observation: LevelObservation, leave: @escaping @Sendable () -> Void) {
        (self.observation, self.leave) = (observation, leave)
    }

    deinit { leave() }

    /// Waits for a state that this observer has not seen; nil if the task is cancelled.
    func next() async throws -> LevelUpdate? {
        let last = seen.withLock { $0 }
        guard let newest = try await observation.next(ObjectIdentifier(self), after: last?.number) else { return nil }
        seen.withLock { $0 = newest }
        let old = last?.level
        let difference = newest.level.flatMap { new in old.map { LevelDifference(from: $0, to: new) } }
        return LevelUpdate(
            level: newest.level, difference: difference, isFromCache: newest.isFromCache,
            interruption: newest.interruption)
    }
}

/// The levels of one server that are being observed.
///
/// The first observer of a level starts the requests for it, and the last one that leaves ends them.
final class LevelObservations: Sendable {
    let transport: Transport
    /// The last known levels; nil without a folder for them.
    let cache: LevelCache?
    /// The waiting times after failures.
    let backoff = Guarded(Backoff())
    private let observed = Guarded<[LevelTarget: Entry]>([:])

    private struct Entry {
        let observation: LevelObservation
        var observers: Int
        let task: Task<Void, Never>
    }

    init(_ transport: Transport) {
        self.transport = transport
        cache = LevelCache(transport.configuration)
    }

    var count: Int { observed.withLock(\.count) }

    func join(_ target: LevelTarget) -> LevelObserver {
        let observation = observed.withLock { observed in
            if let entry = observed[target] {
                observed[target]?.observers += 1
                return entry.observation
            }
            let observation = LevelObservation()
            let follower = LevelFollower(observations: self, target: target, observation: observation)
            observed[target] = Entry(observation: observation, observers: 1, task: Task { await follower.run() })
            return observation
        }
        return LevelObserver(observation) { [weak self] in self?.leave(target, observation) }
    }

    private func leave(_ target: LevelTarget, _ observation: LevelObservation) {
        observed.withLock { observed in
            guard let entry = observed[target], entry.observation === observation else { return }
            observed[target]?.observers -= 1
            guard entry.observers == 1 else { return }
            entry.task.cancel()
            forget(target, &observed)
        }
    }

    /// Forgets an observation that has ended, so that the next observer begins anew.
    func remove(_ target: LevelTarget, _ observation: LevelObservation) {
        observed.withLock { observed in
            if observed[target]?.observation === observation { forget(target, &observed) }
        }
    }

    private func forget(_ target: LevelTarget, _ observed: inout [LevelTarget: Entry]) {
        observed[target] = nil
        if observed.isEmpty { transport.closeIdleConnections() }
    }
}
