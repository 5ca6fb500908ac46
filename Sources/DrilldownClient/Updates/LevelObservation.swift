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
        var isFromCache: Bool
        var interruption: Problem?
        /// The number of states before this one.
        var number = 0
        /// The number of states of the level before this one.
        var levelNumber = 0
        /// The difference from the level before; nil for the first.
        var difference: LevelDifference?
    }

    /// Shows a state of the level, which is current.
    func show(_ level: Level, _ difference: LevelDifference?, isFromCache: Bool) {
        advance { newest in
            var next = Moment(level: level, isFromCache: isFromCache)
            if let newest {
                next.number = newest.number + 1
                next.levelNumber = newest.levelNumber + 1
                next.difference = difference
            }
            return next
        }
    }

    /// Shows that the level as it was shown is what the server has.
    func confirm() {
        advance { newest in
            guard var next = newest, next.interruption != nil || next.isFromCache else { return nil }
            next.number += 1
            (next.interruption, next.isFromCache) = (nil, false)
            return next
        }
    }

    /// Shows that the server cannot be reached.
    func interrupt(_ problem: Problem) {
        advance { newest in
            guard var next = newest else { return Moment(isFromCache: false, interruption: problem) }
            guard next.interruption != problem else { return nil }
            next.number += 1
            next.interruption = problem
            return next
        }
    }

    /// Whether a state of the level is known.
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

    private func advance(_ change: @Sendable (Moment?) -> Moment?) {
        let (newest, waiting) = state.withLock { state -> (Moment?, [CheckedContinuation<Moment?, any Error>]) in
            guard let next = change(state.newest) else { return (nil, []) }
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
    /// - Parameter seen: The number of the state that the observer saw last.
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

/// One of the observers of a level, and what it saw last. It leaves when it is released.
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
        return LevelUpdate(
            level: newest.level, difference: last.flatMap { newest.difference(from: $0) },
            isFromCache: newest.isFromCache, interruption: newest.interruption)
    }
}

extension LevelObservation.Moment {
    /// What changed since an observer's last state: known if it missed none, else found out by comparing the rows; nil
    /// if one of the two has no level.
    fileprivate func difference(from last: Self) -> LevelDifference? {
        guard let level, let lastLevel = last.level else { return nil }
        if last.levelNumber + 1 == levelNumber, let difference { return difference }
        return LevelDifference(from: lastLevel, to: level)
    }
}

/// The levels of one server that are being observed.
///
/// The first observer of a level starts the requests for it, and the last one that leaves ends them.
final class LevelObservations: Sendable {
    private let observed = Guarded<[LevelTarget: Entry]>([:])
    /// What is waited after failures.
    let backoff: Guarded<Backoff>

    private struct Entry {
        let observation: LevelObservation
        var observers: Int
        let task: Task<Void, Never>
    }

    private let transport: Transport

    init(_ transport: Transport, backoff: Backoff = Backoff()) {
        self.transport = transport
        self.backoff = Guarded(backoff)
    }

    /// The number of levels that are being observed.
    var count: Int { observed.withLock(\.count) }

    /// A new observer of a level.
    func join(_ target: LevelTarget, of server: Server) -> LevelObserver {
        let observation = observed.withLock { observed in
            if let entry = observed[target] {
                observed[target]?.observers += 1
                return entry.observation
            }
            let observation = LevelObservation()
            let follower = LevelFollower(server, target, observation, backoff.withLock { $0 })
            let task = Task {
                await follower.run()
            }
            observed[target] = Entry(observation: observation, observers: 1, task: task)
            return observation
        }
        return LevelObserver(observation) { [weak self] in self?.leave(target, observation) }
    }

    private func leave(_ target: LevelTarget, _ observation: LevelObservation) {
        observed.withLock { observed in
            guard var entry = observed[target], entry.observation === observation else { return }
            entry.observers -= 1
            guard entry.observers == 0 else {
                observed[target] = entry
                return
            }
            observed[target] = nil
            entry.task.cancel()
            if observed.isEmpty { transport.closeIdleConnections() }
        }
    }

    /// Forgets an observation that has ended, so that the next observer begins anew.
    func remove(_ target: LevelTarget, _ observation: LevelObservation) {
        observed.withLock { observed in
            guard observed[target]?.observation === observation else { return }
            observed[target] = nil
            if observed.isEmpty { transport.closeIdleConnections() }
        }
    }
}
