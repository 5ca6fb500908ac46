/// A level that a listing takes rows from.
public struct Branch: Sendable {
    /// The level itself.
    public let level: Level
    /// The row that the level is below; nil for the listing's own level.
    public let above: Place?
}
