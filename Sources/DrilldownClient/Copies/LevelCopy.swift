/// A client's copy of a level, with the links of the level's pages to get next.
///
/// Pages that were read one after the other may be of different revisions of the document; `LevelPoller` detects this.
struct LevelCopy: Sendable {
    /// The level with the rows of all pages.
    var level: Level
    var pages: [Page]

    struct Page: Sendable, Hashable {
        /// The link `follow` of the page's latest answer; nil to read the page anew.
        var follow: String?
        var count: Int
        /// The number of rows of the whole level according to this page's answer.
        var total: Int
    }

    /// Whether all pages give the same number of rows for the level, and the copy has that number of rows.
    var isComplete: Bool { pages.allSatisfy { $0.total == level.rows.count } }
}

extension LevelCopy {
    /// The copy before the first answers.
    static let empty = LevelCopy(level: Level(title: "", path: .root), pages: [])

    /// Returns the copy that results from new answers for all pages.
    ///
    /// - Parameters:
    ///   - answers: one answer for each page of the new level, which may have more or fewer pages than this copy.
    ///   - limit: the number of rows of every page except the last; nil if the query selects one page.
    /// - Throws: `Misfit` if a delta does not fit the rows.
    func applying(_ answers: [LevelAnswer], limit: Int?) throws(LevelDelta.Misfit) -> LevelCopy {
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
        if answers.count > 1 { new.level.version = answers.map(\.level.version).joined(separator: ",") }
        return new
    }

    /// Appends a page.
    ///
    /// - Parameters:
    ///   - page: the page that had this number in the old copy; nil if the old copy had fewer pages.
    ///   - old: the rows of that page.
    private mutating func append(
        _ answer: LevelAnswer, replacing page: Page?, old: ArraySlice<Row>, limit: Int?
    ) throws(LevelDelta.Misfit) {
        let total = answer.level.count
        var rows = answer.level.rows
        if let delta = answer.delta {
            guard page != nil else { throw LevelDelta.Misfit() }
            let count =
                limit.map { min($0, max(0, total - pages.count * $0)) }
                ?? old.count - delta.removed.count + delta.inserted.count
            rows = try delta.applied(to: old, count: count)
        }
        level.rows += rows
        pages.append(Page(follow: answer.follow, count: rows.count, total: total))
    }
}
