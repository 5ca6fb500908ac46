/// A sequence of the states of a level: the current state, then the state after each change.
///
/// While the server is unreachable, the sequence keeps trying, and `LevelUpdate.interruption` is the problem. The
/// sequence ends when its task is cancelled. It throws the server's `Problem` if the server refuses the level, for
/// example because the item was deleted.
///
/// An observer that is slower than the changes skips states: it gets the newest state, with the difference from the
/// last state that it received. Observers of the same level share one request.
public struct LevelUpdates: AsyncSequence, Sendable {
    /// A state of the level.
    public typealias Element = LevelUpdate

    let observations: Observations
    let target: LevelTarget

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: ObserverIterator(observations: observations, target: target))
    }

    /// An observer of a level; the observation ends when the iterator is released.
    ///
    /// A copy of an iterator is the same observer as the original. If both wait for a state, the earlier call returns
    /// nil.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var observer: ObserverIterator<LevelTarget>

        /// Waits for a state that this observer has not seen.
        ///
        /// - Returns: the newest state; nil if the task was cancelled.
        /// - Throws: the `Problem` with which the server refuses the level.
        public mutating func next() async throws -> LevelUpdate? { try await next(isolation: nil) }

        /// Waits on the actor of the caller, like `next()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> LevelUpdate? {
            guard let (old, newest) = try await observer.next() else { return nil }
            let difference = newest.content.flatMap { new in old.map { LevelDifference(from: $0, to: new) } }
            return LevelUpdate(
                level: newest.content, difference: difference, isFromCache: newest.isFromCache,
                interruption: newest.interruption)
        }
    }
}

/// A state of an observed level, and the changes since the observer's last state.
public struct LevelUpdate: Sendable, Hashable {
    /// The level; nil as long as no state of the level is known, because the server cannot be reached.
    public let level: Level?
    /// The changes since the last level that the observer received; nil without a level, or if this is the observer's
    /// first level.
    public let difference: LevelDifference?
    /// Whether the level comes from the cache folder. If true, another update follows when the server answers.
    public let isFromCache: Bool
    /// The reason why the level may be out of date; nil while the server can be reached. The observation continues
    /// during an interruption.
    public let interruption: Problem?

    /// Creates an update with these values.
    public init(
        level: Level?, difference: LevelDifference? = nil, isFromCache: Bool = false, interruption: Problem? = nil
    ) {
        self.level = level
        self.difference = difference
        self.isFromCache = isFromCache
        self.interruption = interruption
    }

    /// Whether the server can be reached; if not, `interruption` has the reason.
    public var isConnected: Bool { interruption == nil }

    /// Whether the level is the server's current level, as far as the client knows.
    public var isCurrent: Bool { level != nil && !isFromCache && isConnected }
}
