/// A client's copy of a level, and the versions of the pages that it consists of.
///
/// Pages that were read one after the other may be of different revisions of the document; `LevelPoller` finds out.
struct LevelCopy: Sendable {
    /// The level with the rows of all pages.
    var level: Level
    var pages: [Page]

    /// What is remembered of one page.
    struct Page: Sendable, Hashable {
        /// The version to ask for what changed since then.
        var version: String
        /// The entity tag to ask whether anything changed.
        var entityTag: String?
        var count: Int
        /// The number of rows of the whole level, as this page's answer told.
        var total: Int
    }

    /// Whether each page has told the same number of rows, which is the number of rows of all pages.
    var isComplete: Bool { pages.allSatisfy { $0.total == level.rows.count } }
}

extension LevelCopy {
    /// The copy that answers with whole rows make.
    init(_ level: Level, _ answers: [PageAnswer], limit: Int?) throws(RowAssembly.Misfit) {
        var empty = level
        empty.rows = []
        self = try LevelCopy(level: empty, pages: []).applying(answers, limit: limit).copy
    }

    /// This copy as it is after new answers for all its pages.
    ///
    /// - Parameters:
    ///   - answers: One for each page of the new level; there may be more or fewer than before.
    ///   - limit: The number of rows of a page that is not the last one; nil if the copy is a page itself.
    /// - Returns: The new copy, and what changed in its rows.
    /// - Throws: `Misfit` if a delta is for another version, or does not fit the rows.
    func applying(
        _ answers: [PageAnswer], limit: Int?
    ) throws(RowAssembly.Misfit) -> (copy: LevelCopy, assembly: RowAssembly) {
        var assembly = RowAssembly(level.rows, capacity: level.rows.count + 16)
        var (newLevel, newPages) = (level, [Page]())
        var start = 0
        for (number, answer) in answers.enumerated() {
            let page = number < pages.count ? pages[number] : nil
            let range = start..<start + (page?.count ?? 0)
            start = range.upperBound
            if let head = answer.level, number == 0 { newLevel = head }
            try newPages.append(assembly.append(answer, page, range, limit.map { (size: $0, start: number * $0) }))
        }
        assembly.replace(start..<level.rows.count, with: [])
        newLevel.rows = assembly.rows
        if limit != nil { newLevel.next = nil }
        if newPages.count > 1 { newLevel.version = newPages.map(\.version).joined(separator: ",") }
        return (LevelCopy(level: newLevel, pages: newPages), assembly)
    }
}

extension RowAssembly {
    /// Appends a page as an answer tells it.
    ///
    /// - Parameters:
    ///   - page: The old page, if there is one.
    ///   - range: The positions of its rows.
    ///   - limit: The number of rows of a page that is not the last one, and the position of its first row; nil if the
    ///     page has no other limit than its own.
    fileprivate mutating func append(
        _ answer: PageAnswer, _ page: LevelCopy.Page?, _ range: Range<Int>, _ limit: (size: Int, start: Int)?
    ) throws(Misfit) -> LevelCopy.Page {
        let before = rows.count
        switch answer {
        case .unchanged:
            guard let page else { throw Misfit() }
            keep(range)
            return page
        case .delta(let delta, let entityTag):
            let head = delta.level
            guard let page, delta.since == page.version else { throw Misfit() }
            let count = limit.map { min($0.size, max(0, head.count - $0.start)) }
            try apply(delta, to: range, count: count ?? range.count - delta.removed.count + delta.inserted.count)
            return LevelCopy.Page(
                version: head.version, entityTag: entityTag, count: rows.count - before, total: head.count)
        case .whole(let level, let entityTag):
            replace(range, with: level.rows)
            return LevelCopy.Page(
                version: level.version, entityTag: entityTag, count: rows.count - before, total: level.count)
        }
    }
}
