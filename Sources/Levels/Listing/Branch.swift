/// A level that a listing takes rows from.
public struct Branch: Sendable {
    /// The level itself.
    public let level: Level
    /// The row that the level is below; nil for the listing's own level.
    public let above: Place?
    /// The order of the level's rows in an outline; nil for that of the document.
    let order: OutlineOrder?
}
