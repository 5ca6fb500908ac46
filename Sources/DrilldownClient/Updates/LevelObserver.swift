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
        if last.levelNumber == levelNumber { return LevelDifference(unchanged: level, to: level) }
        if last.levelNumber + 1 == levelNumber, let difference { return difference }
        return LevelDifference(from: lastLevel, to: level)
    }
}
