internal import DatabaseTrees
internal import Levels

/// A page of records that only their positions name. If reading one record takes as long as reading all, and they are not
/// counted yet, the page is read together with all records before and after it.
struct PositionalPage: RecordPage {
    let list: RecordList
    let asked: PageRequest

    func read() throws -> RowPage {
        let (reader, limit) = (makeReader(), asked.limit)
        var start = asked.cursor?.position ?? asked.query.page.firstPosition
        var page = PageRows(limit: limit)
        let known = list.isReadOnce ? try asked.database.counted(list) : try asked.database.total(list)
        let first = known == nil ? 0 : start
        var position = first
        try RecordScan(
            list, reader, in: asked.database,
            limit: known.map { min(limit, max(0, $0.number - start)) } ?? RecordList.mostPositions, offset: first
        ).forEachRecord { (row, key) throws(DatabaseError) in
            if position >= start, page.count < limit { page.add(row, key: key, reader: reader) }
            position += 1
            return true
        }
        if known == nil { asked.database.keep(count: position, of: list) }
        let count = known?.number ?? position
        if asked.cursor != nil { start = min(start, count) }
        let next = PageCursor(
            shape: PageCursor.shape(of: asked.query), position: start + page.count, row: 0, values: [])
        return try finish(
            page, start: start, count: RecordCount(number: count, isEstimate: false),
            next: start + page.count < count ? next.bookmark : nil)
    }
}
