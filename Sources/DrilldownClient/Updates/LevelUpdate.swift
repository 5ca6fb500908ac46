/// A state of a level that is being observed, and what changed since the observer's last one.
public struct LevelUpdate: Sendable, Hashable {
    /// The level; nil while nothing is known of it because the server has not been reached yet.
    ///
    /// Once an update has had a level, every later one has.
    public let level: Level?

    /// What changed since the observer's last update; nil in the first one that has a level.
    public let difference: LevelDifference?

    /// Whether the level comes from the cache folder; the server's answer follows as soon as it arrives.
    public let isFromCache: Bool

    /// Why the level may be out of date; nil while the server can be reached.
    ///
    /// Observing continues by itself. The next update without an interruption is current again.
    public let interruption: Problem?

    /// An update with these values.
    public init(
        level: Level?, difference: LevelDifference? = nil, isFromCache: Bool = false, interruption: Problem? = nil
    ) {
        self.level = level
        self.difference = difference
        self.isFromCache = isFromCache
        self.interruption = interruption
    }

    /// Whether the latest request to the server was answered; `interruption` says why if it was not.
    public var isConnected: Bool { interruption == nil }

    /// Whether this is what the server has, as far as is known.
    public var isCurrent: Bool { level != nil && !isFromCache && isConnected }
}
