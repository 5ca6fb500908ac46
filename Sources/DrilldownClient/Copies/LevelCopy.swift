/// A client's copy of a level, with the versions of the level's pages.
///
/// Pages that were read one after the other may be of different revisions of the document; `LevelPoller` detects this.
struct LevelCopy: Sendable {
    /// The level with the rows of all pages.
    var level: Level
    var pages: [Page]

    struct Page: Sendable, Hashable {
        /// The version for a request with `since`.
        var version: String
        /// The entity tag for a request with `If-None-Match`.
        var entityTag: String?
        var count: Int
        /// The number of rows of the whole level according to this page's answer.
        var total: Int
    }

    /// Whether all pages give the same number of rows for the level, and the copy has that number of rows.
    var isComplete: Bool { pages.allSatisfy { $0.total == level.rows.count } }
}

extension LevelCopy {
    /// Creates the first copy of a level, from answers that contain rows instead of changes.
    init(level: Level, answers: [PageAnswer], limit: Int?) throws(LevelDelta.Misfit) {
        var empty = level
        empty.rows = []
        self = try LevelCopy(level: empty, pages: []).applying(answers, limit: limit)
    }

    /// Returns the copy that results from new answers for all pages.
    ///
    /// - Parameters:
    ///   - answers: one answer for each page of the new level, which may have more or fewer pages than this copy.
    ///   - limit: the number of rows of every page except the last; nil if the query selects one page.
    /// - Throws: `Misfit` if a delta applies to another version than this copy has, or does not fit the rows.
    func applying(_ answers: [PageAnswer], limit: Int?) throws(LevelDelta.Misfit) -> LevelCopy {
        var new = LevelCopy(level: answers.first?.level ?? level, pages: [])
        new.level.rows = []
        new.level.rows.reserveCapacity(level.rows.count + 16)
        var start = 0
        for (number, answer) in answers.enumerated() {
            let page = number < pages.count ? pages[number] : nil
            let rows = level.rows[start..<start + (page?.count ?? 0)]
            start = rows.endIndex
            try new.append(answer, replacing: page, old: rows, limit: limit)
        }
        if limit != nil { new.level.next = nil }
        if new.pages.count > 1 { new.level.version = new.pages.map(\.version).joined(separator: ",") }
        return new
    }
    /// Appends a page.
    ///
    /// - Parameters:
    ///   - page: the page that had this number in the old copy; nil if the old copy had fewer pages.
    ///   - old: the rows of that page.
    private mutating func append(
        _ answer: PageAnswer, replacing page: Page?, old: ArraySlice<Row>, limit: Int?
    ) throws(LevelDelta.Misfit) {
        switch answer {
        case .unchanged:
            guard let page else { throw LevelDelta.Misfit() }
            level.rows += old
            pages.append(page)
        case .delta(let delta, let entityTag):
            guard let page, delta.since == page.version else { throw LevelDelta.Misfit() }
            let total = delta.level.count
            let count =
                limit.map { min($0, max(0, total - pages.count * $0)) }
                ?? old.count - delta.removed.count + delta.inserted.count
            level.rows += try delta.applied(to: old, count: count)
            pages.append(Page(version: delta.level.version, entityTag: entityTag, count: count, total: total))
        case .whole(let whole, let entityTag):
            level.rows += whole.rows
            pages.append(
                Page(version: whole.version, entityTag: entityTag, count: whole.rows.count, total: whole.count))
        }
    }
}
