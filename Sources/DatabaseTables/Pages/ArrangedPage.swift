internal import Bytes
internal import DatabaseTrees
internal import Levels

/// A page of records that are filtered and sorted in memory. All records of the list are read.
struct ArrangedPage: RecordPage {
    let list: RecordList
    let asked: PageRequest
    /// The query without the conditions that all records of the list meet.
    let rest: RowQuery
    /// The number of records in the list, plus the number of rows that follow the records.
    let count: Int

    func read() throws -> RowPage {
        let query = asked.query
        let arranged = try ArrangedRecords(list, by: rest, count: count, in: asked.database)
        let (all, level) = (arranged.rows, arranged.level)
        var start = query.page.firstPosition
        if let cursor = asked.cursor {
            guard
                list.table.isPositional || cursor.values.count == list.terms.count || cursor.values.isEmpty
            else { throw PageCursor.foreign }
            let row =
                list.table.isPositional || cursor.values.isEmpty
                ? cursor.row : try arranged.row(after: cursor.values, in: list, of: asked.database)
            start = all.position(after: cursor.mark, row: row, formerly: cursor.position)
        }
        let positions = query.page.positions(from: start, of: all.count)
        let reader = makeReader()
        let records = level.count - list.following.count
        let rows = all.rowNumbers(at: positions)
        let keys = rows.map { row in row < records ? Item.Step(level: level, row: row).key : nil }
        var last: [DatabaseValue] = []
        var found = PageRows(limit: keys.count)
        var foundKeys: [[UInt8]] = []
        try RecordLookup(list: list, database: asked.database).forEachRecord(withKeys: keys.compactMap(\.self), reader)
        {
            (row, key) throws(DatabaseError) in
            found.add(row, key: key, reader: reader)
            let key = Array(copying: key)
            foundKeys.append(key)
            if key == keys.last { last = reader.terms(row) }
        }
        // Records that are wanted in the order of their keys are usually found in this order.
        if !keys.elementsEqual(foundKeys, by: ==) {
            found = try found.arranged(as: keys) { list.following[rows[$0] - records] }
        }
        var next: RowBookmark?
        if positions.upperBound < all.count, let final = rows.last {
            // A record with known values needs no number: it would change with records that the page does not show,
            // and so would the cursor.
            if !PageCursor.holds(last) { last = [] }
            let isNumbered = list.table.isPositional || last.isEmpty
            next =
                PageCursor(
                    shape: PageCursor.shape(of: query), position: positions.upperBound,
                    row: isNumbered ? final + 1 : 0, values: last, mark: all.mark(at: positions.upperBound - 1)
                ).bookmark
        }
        return try finish(
            found, start: positions.lowerBound, count: RecordCount(number: all.count, isEstimate: false),
            sections: all.sections, next: next)
    }
}

extension PageRows {
    /// Returns the records in another order, with the rows that follow the records between them.
    ///
    /// - Parameters:
    ///   - keys: the keys of the records; nil for a row that follows the records.
    ///   - following: returns the following row at a place in `keys`.
    fileprivate consuming func arranged(
        as keys: [[UInt8]?], following: (Int) -> NamedList
    ) throws(DatabaseError) -> PageRows {
        var page = PageRows(limit: keys.count)
        let (refusals, below, referring, valueCounts) = (refusals, below, referring, valueCounts)
        var order: [Int?] = []
        let level = try packer.packed()
        for (place, key) in keys.enumerated() {
            guard let key else {
                page.add(following(place))
                order.append(nil)
                continue
            }
            guard let number = level.row(withKey: key.span) else { continue }
            page.refusals[page.count] = refusals[number]
            if !below.isEmpty { page.below.append(below[number]) }
            if !valueCounts.isEmpty { page.valueCounts.append(valueCounts[number]) }
            page.packer.addRow(number, of: level)
            order.append(number)
        }
        page.referring = referring.arranged(as: order)
        return page
    }
}

extension Item.Step {
    fileprivate var key: [UInt8] { withRow { Array(copying: $0.key) } }
}
