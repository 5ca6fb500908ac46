/// A state of a level that is being observed, and what changed since the observer's last one.
public struct LevelUpdate: Sendable, Hashable {
    /// The level.
    public let level: Level

    /// What changed since the observer's last update; nil in the first one.
    public let difference: LevelDifference?

    /// Where the level comes from.
    public let origin: Origin

    /// Why the level may be out of date; nil while the server can be reached.
    ///
    /// Observing continues by itself. The next update without an interruption is current again.
    public let interruption: Problem?

    /// Where a level comes from.
    public enum Origin: Sendable, Hashable {
        /// From the server.
        case server
        /// From the folder of the last known levels; the server's answer follows as soon as it is there.
        case cache
    }

    /// Whether this is what the server has, as far as is known.
    public var isCurrent: Bool { origin == .server && interruption == nil }
}
