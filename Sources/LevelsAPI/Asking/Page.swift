import Levels

/// Which rows of a level are asked for (`?limit=` and `?after=`).
struct Page: Equatable {
    static let defaultLimit = 1_000
    static let limits = 1...10_000

    var limit: Int?
    var after: Cursor?

    /// Whether the request named a page.
    var isAsked: Bool { limit != nil || after != nil }

    /// The rows of a level that the page shows.
    func rows(of level: Level?) -> Range<Int> {
        guard let level else { return 0..<0 }
        let start = after?.start(in: level) ?? 0
        return start..<min(level.count, start + (limit ?? Self.defaultLimit))
    }
}
