/// What a server answers to a client that has a level, or a page of it.
enum PageAnswer: Sendable {
    /// The rows are as they were.
    case unchanged
    /// What has changed.
    case delta(LevelDelta, entityTag: String?)
    /// The level with its rows.
    case whole(Level, entityTag: String?)

    /// The level that was answered, perhaps without its rows.
    var level: Level? {
        switch self {
        case .unchanged: nil
        case .delta(let delta, _): delta.level
        case .whole(let level, _): level
        }
    }
}
