internal import DatabaseTrees
internal import Levels

/// The records of a list that are filtered and sorted in memory, like the items of a tree.
struct ArrangedRecords: Sendable {
    let rows: ArrangedRows
    /// All records of the list in the order of their key, then the rows that follow the records. The records have only
    /// the fields that determine the result of the query.
    let level: Level

    /// Returns the position of the row with a key; 0 if the row is missing.
    func position(ofKey key: [UInt8]) -> Int {
        let row = level.row(withKey: key.span)
        return (0..<rows.count).first { rows.rowNumber(at: $0) == row } ?? 0
    }

    /// Returns the row at a position; nil if there is none.
    func step(at position: Int) throws(DatabaseError) -> Item.Step? {
        guard position >= 0, position < rows.count else { return nil }
        let row = rows.rowNumber(at: position)
        return try Item.Step(key: Array(level.key(row).utf8), title: Array(level.title(row).utf8))
    }

    /// Returns the number of the row after a record in the order of the key, even if the record was deleted.
    ///
    /// - Parameters:
    ///   - values: the values of the record's terms.
    ///   - list: the list that is arranged.
    func row(
        after values: [DatabaseValue], in list: RecordList, of database: OpenDatabase
    ) throws(DatabaseError) -> Int {
        let count = level.count - list.following.count
        let affinities = list.table.keyAffinities
        let key = values.prefix(affinities.count)
        if !key.contains(.null),
            let row = level.row(withKey: RecordKey.text(Array(key), affinities: affinities).span), row < count
        {
            return row + 1
        }
        return try count - database.count(list, parts: ListScan.parts(after: values, terms: list.terms))
    }
}

extension ArrangedRecords {
    /// Arranges the records of a list as a query filters and sorts them. The result is kept for the present state.
    ///
    /// - Parameter count: the number of records to read.
    init(_ list: RecordList, by query: RowQuery, count: Int, in database: OpenDatabase) throws(DatabaseError) {
        self = try database.known.arrangement(list.name("arrangement", query: query.arrangement)) {
            () throws(DatabaseError) in
            let level = try Self.scan(list, query: query, count: count, in: database)
            return ArrangedRecords(rows: ArrangedRows(level: level, by: query), level: level)
        }
    }

    /// Arranges the records of a list by the list's own conditions and order. The result is nil for a list that is not
    /// arranged, or has too many records to be sorted in memory.
    init?(own list: RecordList, in database: OpenDatabase) throws(DatabaseError) {
        guard list.isArranged else { return nil }
        var count = RecordList.mostPositions
        if !list.table.isPositional {
            let total = try database.total(list)
            guard !total.isEstimate, total.number <= database.options.arrangedRows else { return nil }
            count = total.number
        }
        try self.init(list, by: list.own, count: count, in: database)
    }

    /// Reads all records of a list in the order of their key, then adds the rows that follow the records. The records
    /// have only the fields that determine the result of the query.
    private static func scan(
        _ list: RecordList, query: RowQuery, count: Int, in database: OpenDatabase
    ) throws(DatabaseError) -> Level {
        let reader = RecordReader(list: list, for: query)
        var packer = RowPacker()
        // Titles take most of the memory of a large list, so they are omitted if the query does not need them.
        let needsTitle = query.looksAtTitles || list.isArranged
        try RecordScan(list, reader, in: database, limit: count).forEachRecord {
            (statement, key) throws(DatabaseError) in
            packer.beginRow(key: key, title: (needsTitle ? reader.title(statement, key: key) : []).span)
            _ = reader.addFields(statement, to: &packer)
            return true
        }
        if list.isReadOnce { database.keep(count: packer.count, of: list) }
        for row in list.following { packer.beginRow(key: row.key.span, title: row.title.span) }
        return try packer.packed()
    }
}

extension RowQuery {
    /// Whether the rows keep the order of the list: the query neither sorts, nor groups, nor searches.
    var keepsOrder: Bool {
        search == nil && (order.sort?.criteria ?? []).isEmpty && (order.group ?? .document) == .document
    }

    /// Whether titles determine the rows or their order.
    var looksAtTitles: Bool {
        search != nil || order.group == .initial || comparedFields.contains(.title)
    }

    /// The names of the fields that determine the rows and their order, and the first parts of names with dots; nil for
    /// all fields.
    var lookedAt: Set<[UInt8]>? {
        var names: Set<[UInt8]> = []
        for case .named(let name) in comparedFields { names.formUnion([name, name.firstPart]) }
        guard search != nil else { return names }
        switch searchedFields {
        case nil, .title: break
        case .all: return nil
        case .named(let searched): names.formUnion(searched.fields.names + searched.fields.paths.map(\.firstPart))
        }
        return names
    }
}

extension [UInt8] {
    /// The first part of a name with dots, or the whole name.
    fileprivate var firstPart: [UInt8] { Array(prefix { $0 != UInt8(ascii: ".") }) }
}

extension Table {
    /// Whether a field is composed of the values of columns: a title of several parts, the title of a referenced record, or a
    /// path into the values of a column, such as a column of JSON.
    func isComposed(_ field: RowField) -> Bool {
        switch field {
        case .title: !title.parts.isEmpty && titleColumn == nil
        case .key: false
        case .named(let name): column(named: name) == nil && column(named: name.firstPart) != nil
        }
    }
}
