internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// Lists of records that are filtered and sorted in memory, like the items of a tree.
extension TableReading {
    /// Returns a page of records that are filtered and sorted in memory. Reads all records of the list.
    ///
    /// - Parameters:
    ///   - arranging: the query without the conditions that the list already contains.
    ///   - count: the number of records in the list, plus the number of rows that follow the records.
    func arrangedPage(
        _ list: RecordList, query: RowQuery, arranging: RowQuery, cursor: PageCursor?, count: Int
    ) throws -> RowPage {
        let (all, level) = try arrangement(of: list, query: arranging, count: count)
        var start = query.page.firstPosition
        if let cursor {
            guard
                list.table.isPositional || cursor.values.count == list.terms.count || cursor.values.isEmpty
            else { throw Self.foreignCursor }
            let row =
                list.table.isPositional || cursor.values.isEmpty
                ? cursor.row : try row(after: cursor.values, in: list, level: level)
            start = all.position(after: cursor.mark, row: row, formerly: cursor.position)
        }
        let positions = query.page.positions(from: start, of: all.count)
        let reader = rowReader(list, query: query)
        let records = level.count - list.following.count
        let rows = all.rowNumbers(at: positions)
        let keys = rows.map { row in row < records ? Item.Step(level: level, row: row).key : nil }
        var last: [DatabaseValue] = []
        var found = PageRows(limit: keys.count)
        var foundKeys: [[UInt8]] = []
        try forEachRecord(withKeys: keys.compactMap(\.self), in: list, reader) { (row, key) throws(DatabaseError) in
            found.add(row, key: key, reader: reader)
            let key = Array(copying: key)
            foundKeys.append(key)
            if key == keys.last { last = reader.terms(row) }
        }
        let page = try arranged(found, keys: foundKeys, as: keys) { list.following[rows[$0] - records] }
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
            page, list: list, start: positions.lowerBound, count: RecordCount(number: all.count, isEstimate: false),
            sections: all.sections,
            next: next, query: query)
    }

    /// Returns a page of records that only their positions name. If reading one record takes as long as reading all, and
    /// they are not counted yet, the page is read together with all records before and after it.
    func positionalPage(_ list: RecordList, query: RowQuery, cursor: PageCursor?) throws -> RowPage {
        let reader = rowReader(list, query: query)
        var start = cursor?.position ?? query.page.firstPosition
        let limit = query.page.limit ?? PageQuery.defaultLimit
        var page = PageRows(limit: limit)
        let known = list.isReadOnce ? try counted(list) : try total(list)
        let first = known == nil ? 0 : start
        var position = first
        try forEachRecord(
            of: list, reader, limit: known.map { min(limit, max(0, $0.number - start)) } ?? Self.mostPositions,
            offset: first
        ) { (row, key) throws(DatabaseError) in
            if position >= start, page.count < limit { page.add(row, key: key, reader: reader) }
            position += 1
            return true
        }
        if known == nil { try keep(count: position, of: list) }
        let count = known?.number ?? position
        if cursor != nil { start = min(start, count) }
        let next = PageCursor(
            shape: PageCursor.shape(of: query), position: start + page.count, row: 0, values: [])
        return try finish(
            page, list: list, start: start, count: RecordCount(number: count, isEstimate: false), sections: [],
            next: start + page.count < count ? next.bookmark : nil, query: query)
    }

    /// Returns found records in another order, with the following rows between them.
    ///
    /// - Parameters:
    ///   - keys: the keys of the records in the order in which they were found.
    ///   - wanted: the keys in the order of the result; nil for a following row.
    ///   - following: returns the following row at a place in `wanted`.
    private func arranged(
        _ found: consuming PageRows, keys: [[UInt8]], as wanted: [[UInt8]?], following: (Int) -> NamedList
    ) throws(DatabaseError) -> PageRows {
        // Records that are wanted in the order of their keys are usually found in this order.
        if wanted.elementsEqual(keys, by: ==) { return found }
        let records = FoundRecords(refusals: found.refusals, below: found.below, level: try Self.level(found.packer))
        var page = PageRows(limit: wanted.count)
        for (place, key) in wanted.enumerated() {
            if let key { page.add(key, of: records) } else { page.add(following(place)) }
        }
        return page
    }

    /// Returns the number of the row after a record in the order of the key, even if the record was deleted.
    ///
    /// - Parameters:
    ///   - values: the values of the record's terms.
    ///   - level: all records of the list, followed by its following rows.
    private func row(after values: [DatabaseValue], in list: RecordList, level: Level) throws(DatabaseError) -> Int {
        let count = level.count - list.following.count
        let affinities = list.table.keyAffinities
        let key = values.prefix(affinities.count)
        if !key.contains(.null),
            let row = level.row(withKey: RecordKey.text(Array(key), affinities: affinities).span), row < count
        {
            return row + 1
        }
        return try count - self.count(list, parts: ListScan.parts(after: values, terms: list.terms))
    }

    /// Returns the records of a list as a query filters and sorts them, and the level of all its records; both are kept
    /// for the present version.
    func arrangement(
        of list: RecordList, query: RowQuery, count: Int
    ) throws(DatabaseError) -> (rows: ArrangedRows, level: Level) {
        try database.known.arrangement(list.name("arrangement", query: query.arrangement)) { () throws(DatabaseError) in
            let level = try self.scan(list, query: query, count: count)
            return (ArrangedRows(level: level, by: query), level)
        }
    }

    /// Reads all records of a list in the order of their key, then adds the rows that follow the records. The records
    /// have only the fields that determine the result of the query.
    private func scan(_ list: RecordList, query: RowQuery, count: Int) throws(DatabaseError) -> Level {
        let looked = query.lookedAt
        let reader = RecordReader(
            list: list, showing: { looked?.contains($0.bytes) ?? true }, limit: RecordReader.detailLimit)
        var packer = RowPacker()
        // Titles take most of the memory of a large list, so they are omitted if the query does not need them.
        let needsTitle = query.looksAtTitles || list.isArranged
        try forEachRecord(of: list, reader, limit: count) { (statement, key) throws(DatabaseError) in
            packer.beginRow(key: key, title: (needsTitle ? reader.title(statement, key: key) : []).span)
            _ = reader.addFields(statement, to: &packer)
            return true
        }
        if list.isReadOnce { try keep(count: packer.count, of: list) }
        for row in list.following { packer.beginRow(key: row.key.span, title: row.title.span) }
        return try Self.level(packer)
    }
}

/// Records in the order in which they were found.
struct FoundRecords {
    let refusals: [Int: String]
    let below: [PageRows.Below]
    let level: Level
}

extension PageRows {
    /// Adds the record with a key, if it was found.
    fileprivate mutating func add(_ key: [UInt8], of found: FoundRecords) {
        guard let number = found.level.row(withKey: key.span) else { return }
        refusals[packer.count] = found.refusals[number]
        if !found.below.isEmpty { below.append(found.below[number]) }
        packer.addRow(number, of: found.level)
    }
}

extension Item.Step {
    fileprivate var key: [UInt8] { withRow { Array(copying: $0.key) } }
}

extension RowQuery {
    /// Whether the rows keep the order of the list: the query neither sorts, nor groups, nor searches.
    var keepsOrder: Bool {
        search == nil && (order.sort?.criteria ?? []).isEmpty && (order.group ?? .document) == .document
    }

    /// Whether titles determine the rows or their order.
    var looksAtTitles: Bool {
        if search != nil || order.group == .initial || order.group == .field(.title) { return true }
        return conditions.contains { $0.field == .title }
            || order.sort?.criteria.contains { $0.field == .title } == true
    }

    /// The names of the fields that determine the rows and their order; nil for all fields.
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
