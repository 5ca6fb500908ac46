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
