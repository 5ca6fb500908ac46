internal import DatabaseTrees
internal import Levels

/// A page of the records of a large list by their sections: the records of all runs, one run after the other.
struct SectionedPage: RecordPage {
    let list: RecordList
    let asked: PageRequest
    let runs: [SectionRun]

    func read() throws -> RowPage {
        let (query, limit) = (asked.query, asked.limit)
        let total = runs.reduce(0) { $0 + $1.count }
        let reader = makeReader()
        var number = 0
        var offset = 0
        var after: [DatabaseValue]?
        var start = 0
        if let cursor = asked.cursor {
            guard cursor.values.count >= list.terms.count else { throw PageCursor.foreign }
            start = min(cursor.position, total)
            let section = Array(cursor.values[list.terms.count...])
            if let known = runs.firstIndex(where: { $0.condition.values == section }) {
                number = known
                after = Array(cursor.values[..<list.terms.count])
            } else {
                // The run of the last record is gone. The page begins with the run in its place.
                number = min(cursor.row, runs.count)
                start = runs[..<number].reduce(0) { $0 + $1.count }
            }
        } else {
            start = min(query.page.firstPosition, total)
            offset = start
            while number < runs.count, offset >= runs[number].count {
                offset -= runs[number].count
                number += 1
            }
        }
        var page = PageRows(limit: limit)
        var last: (values: [DatabaseValue], run: Int)?
        var hasMore = false
        while number < runs.count, !hasMore {
            var part = list
            part.add(runs[number].condition)
            try RecordScan(
                part, reader, in: asked.database, limit: limit + 1 - page.count, offset: offset
            ).forEachRecord(after: after) { (statement, key) throws(DatabaseError) in
                guard page.count < limit else {
                    hasMore = true
                    return false
                }
                page.add(statement, key: key, reader: reader)
                last = (reader.terms(statement), number)
                return true
            }
            (after, offset) = (nil, 0)
            number += 1
        }
        var next: RowBookmark?
        if hasMore, let last {
            next =
                PageCursor(
                    shape: PageCursor.shape(of: query), position: start + page.count, row: last.run,
                    values: last.values + runs[last.run].condition.values
                ).bookmark
        }
        return try finish(
            page, start: start, count: RecordCount(number: total, isEstimate: false), sections: sections, next: next,
            order: list.order(for: query))
    }

    private var sections: [Section] {
        var sections: [Section] = []
        var start = 0
        for run in runs {
            if let last = sections.last, last.title == run.title {
                sections[sections.count - 1].count += run.count
            } else {
                sections.append(Section(title: run.title, index: run.index, start: start, count: run.count))
            }
            start += run.count
        }
        return sections
    }
}
