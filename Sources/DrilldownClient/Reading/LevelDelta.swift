/// What changed on a level since a version of it: the answer to a request with `since` (manual, Refresh).
struct LevelDelta: Hashable, Sendable {
    /// The level as it is now, without its rows.
    var level: Level
    /// The version that the changes begin from.
    var since: String
    /// The keys of the rows that are gone.
    var removed: [String]
    /// The new rows, by their positions in the new list.
    var inserted: [Placed]
    /// The rows that changed their place among the others.
    var moved: [Moved]
    /// The rows that show something else, by their positions in the new list.
    var updated: [Placed]

    /// A row at a position.
    struct Placed: Hashable, Sendable {
        var position: Int
        var row: Row
    }

    /// The key of a row that is at a position now.
    struct Moved: Hashable, Sendable {
        var position: Int
        var key: String
    }
}

/// The answer to the request for a level.
enum LevelAnswer: Hashable, Sendable {
    /// The level, or a page of it, with its rows.
    case level(Level)
    /// What changed since the version that the request names.
    case delta(LevelDelta)
}
