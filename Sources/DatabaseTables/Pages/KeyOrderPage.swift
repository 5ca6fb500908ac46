internal import DatabaseTrees
internal import Levels

/// A page in the order of the key or of an index.
struct KeyOrderPage: RecordPage {
    let list: RecordList
    let asked: PageRequest
    /// The number of records in the list, plus the number of rows that follow the records.
    let count: RecordCount

    func read() throws -> RowPage {
        let (query, limit) = (asked.query, asked.limit)
        let reader = makeReader()
        var start = query.page.firstPosition
        var after: [DatabaseValue]?
        // Of the rows that follow the records, the number before the page; nil if the page may begin with a record.
        var passed: Int?
        if let cursor = asked.cursor, cursor.values.isEmpty, !list.following.isEmpty {
            (start, passed) = (cursor.position, cursor.row)
        } else if let cursor = asked.cursor, !cursor.values.isEmpty {
            guard cursor.values.count == list.terms.count else { throw PageCursor.foreign }
            after = cursor.values
            let isCounted = !count.isEstimate && !list.isSought
            start = isCounted ? try position(after: cursor) : cursor.position
        } else if let cursor = asked.cursor {
            start = cursor.position
        }
        if asked.cursor != nil, !count.isEstimate { start = min(start, count.number) }
        let isOffset = after == nil && passed == nil && (asked.cursor != nil || query.page.start != nil)
        var last: [DatabaseValue] = []
        var hasMore = false
        var page = PageRows(limit: limit)
        if passed == nil {
            let isFar = isOffset && start >= RankSamples.smallest
            let sample = isFar ? try SampledOrder(list, in: asked.database)?.sample(before: start) : nil
            var toPass = sample?.distance ?? 0
            try RecordScan(
                list, reader, in: asked.database, limit: limit + 1 + toPass,
                offset: isOffset && sample == nil ? start : 0
            ).forEachRecord(after: sample?.values ?? after) { (statement, key) throws(DatabaseError) in
                guard toPass == 0 else {
                    toPass -= 1
                    return true
                }
                guard page.count < limit else {
                    hasMore = true
                    return false
                }
                page.add(statement, key: key, reader: reader)
                if page.count == limit { last = reader.terms(statement) }
                return true
            }
        }
        var row = 0
        if !hasMore, !list.following.isEmpty {
            row = passed ?? max(0, isOffset ? start + list.following.count - count.number : 0)
            for following in list.following.dropFirst(row) {
                hasMore = page.count == limit
                guard !hasMore else { break }
                page.add(following)
                last = []
                row += 1
            }
        }
        let end = start + page.count
        var total = count
        if count.isEstimate {
            // The exact number of records is known only if the page reaches the end of the list.
            let isEnd = !hasMore && (page.count > 0 || start == 0)
            let isPastEnd = page.count == 0 && isOffset
            let most = isPastEnd ? count.number : max(count.number, end + (hasMore ? 1 : 0))
            total = RecordCount(number: isEnd ? end : most, isEstimate: true)
        }
        if list.following.isEmpty, !PageCursor.holds(last) { last = [] }
        let next = PageCursor(shape: PageCursor.shape(of: query), position: end, row: row, values: last)
        let isLarge = count.isEstimate || count.number > asked.database.options.arrangedRows
        return try finish(
            page, start: start, count: total, next: hasMore ? next.bookmark : nil,
            order: isLarge ? list.order(for: query) : nil)
    }

    /// Returns the present position of the row after a cursor. This position differs from the cursor's position if
    /// records before it were added or deleted since then.
    private func position(after cursor: PageCursor) throws(DatabaseError) -> Int {
        let order = try SampledOrder(list, in: asked.database)
        if let rank = try order?.rank(of: cursor.values, expected: cursor.position) { return rank }
        let parts = ListScan.parts(after: cursor.values, terms: list.terms)
        return try count.number - list.following.count - asked.database.count(list, parts: parts)
    }
}
