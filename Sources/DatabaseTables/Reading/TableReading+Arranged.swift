internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// Lists of records that are filtered and sorted in memory, as the items of a tree are.
extension TableReading {
    /// Returns a page of records that are filtered and sorted in memory; all records of the list are read.
    ///
    /// - Parameters:
    ///   - arranging: the query without the conditions that the list already contains.
    ///   - count: the number of records in the list, and of the rows that follow them.
    func arrangedPage(
        _ list: RecordList, query: RowQuery, arranging: RowQuery, cursor: PageCursor?, count: Int
    ) throws -> RowPage {
        let (all, level) = try arrangement(of: list, query: arranging, count: count)
        var start = query.page.start ?? 0
        if let cursor {
            guard
                list.table.isPositional || cursor.values.count == list.terms.count
                    || cursor.values.isEmpty && !list.following.isEmpty
            else { throw Self.foreignCursor }
            let row =
                list.table.isPositional || cursor.values.isEmpty
                ? cursor.row
                : try level.count - list.following.count
                    - self.count(
                        list, parts: ListScan.parts(after: cursor.values, terms: list.terms, isReversed: false))
            start = all.position(after: cursor.mark, row: row, formerly: cursor.position)
        }
        let positions = query.page.positions(from: start, of: all.count)
        let reader = rowReader(list, query: query)
        var page = PageRows()
        var last: [SQLiteValue] = []
        for position in positions {
            let row = all.rowNumber(at: position)
            guard row < level.count - list.following.count else {
                page.add(list.following[row - (level.count - list.following.count)])
                last = []
                continue
            }
            let key = Array(level.key(row).utf8)
            try read(key, in: list, reader: reader) { (statement, _) throws(DatabaseError) in
                page.add(statement, key: key, reader: reader)
                last = reader.terms(statement)
            }
        }
        var next: RowBookmark?
        if positions.upperBound < all.count, let final = positions.last {
            // A record with known values needs no number: it would change with records that the page does not show,
            // and so would the cursor.
            let isNumbered = list.table.isPositional || last.isEmpty
            next =
                PageCursor(
                    shape: PageCursor.shape(of: query), position: final + 1,
                    row: isNumbered ? all.rowNumber(at: final) + 1 : 0, values: last, mark: all.mark(at: final)
                ).bookmark
        }
        return try finish(
            page, list: list, start: positions.lowerBound, count: RecordCount(number: all.count, isEstimate: false),
            sections: all.sections,
            next: next, query: query)
    }

    /// Returns the records of a list as a query filters and sorts them, and the level of all its records; both are kept
    /// for the present version.
    func arrangement(
        of list: RecordList, query: RowQuery, count: Int
    ) throws(DatabaseError) -> (rows: ArrangedRows, level: Level) {
        let name = "\(list.source) \(list.condition ?? "") \(list.values) \(query.arrangement)"
        return try database.known.arrangement(name) { () throws(DatabaseError) in
            let level = try self.scan(list, query: query, count: count)
            return (ArrangedRows(level: level, by: query), level)
        }
    }

    /// Reads all records of a list in the order of their key, with the fields that determine the result of a query, and
    /// adds the rows that follow the records.
    private func scan(_ list: RecordList, query: RowQuery, count: Int) throws(DatabaseError) -> Level {
        let looked = query.lookedAt
        let reader = RecordReader(
            list: list, showing: { looked?.contains($0.bytes) ?? true }, limit: RecordReader.detailLimit)
        var packer = RowPacker()
        // Titles take most of the memory of a large list, so they are omitted if they are not needed.
        let needsTitle = query.looksAtTitles || list.isArranged
        try forEachRecord(of: list, reader, limit: count) { (statement, key) throws(DatabaseError) in
            packer.beginRow(key: key.span, title: (needsTitle ? reader.title(statement, key: key) : []).span)
            _ = reader.addFields(statement, to: &packer)
            return true
        }
        for row in list.following { packer.beginRow(key: row.key.span, title: row.title.span) }
        return try Self.level(packer)
    }
}

extension RowQuery {
    /// Whether titles determine the rows or their order.
    var looksAtTitles: Bool {
        if search != nil || order.group == .initial || order.group == .field(.title) { return true }
        return conditions.contains { $0.field == .title }
            || order.sort?.criteria.contains { $0.field == .title } == true
    }

    /// The names of the fields that determine the rows and their order; nil for all.
    var lookedAt: Set<[UInt8]>? {
        var fields = conditions.map(\.field) + (order.sort?.criteria.map(\.field) ?? [])
        if case .field(let field)? = order.group { fields.append(field) }
        var names: Set<[UInt8]> = []
        for case .named(let name) in fields { names.insert(name) }
        guard search != nil else { return names }
        switch searchedFields {
        case nil, .title: break
        case .all: return nil
        case .named(let searched): names.formUnion(searched.fields.names)
        }
        return names
    }
}
