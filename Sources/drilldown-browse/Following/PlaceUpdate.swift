import DrilldownClient

/// News about the place that is shown.
enum PlaceUpdate: Equatable, Sendable {
    /// The level as it is, with the rows that were added or altered, and how many were taken out.
    case level(Level, changed: Set<Row.ID>, removed: Int, isKept: Bool)
    case detail(Detail)
    /// Why the server cannot be asked at present, in a sentence; nil once it answers again.
    case trouble(String?)
    /// What the server refuses, in a sentence; no more news follow.
    case refusal(String)
}
