internal import Bytes
internal import DatabaseTrees
internal import Levels

/// Reads single records of a list by their keys.
struct RecordLookup {
    let list: RecordList
    let database: OpenDatabase

    /// Calls a closure with the record that has a key, if the list contains this record.
    func read(
        _ key: [UInt8], _ reader: RecordReader, _ body: (ResultRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let connection = database.connection
        guard !list.table.isPositional else {
            guard let position = Int(digits: key.span), position < RecordList.mostPositions,
                "\(position)".utf8.elementsEqual(key)
            else { return }
            return try connection.rows(
                "SELECT \(reader.columns) \(list.records()) LIMIT 1 OFFSET \(Int64(position))", body)
        }
        guard let conditions = list.conditions(ofKey: key) else { return }
        var isFound = false
        try connection.rows("SELECT \(reader.columns) \(list.records(where: conditions))") {
            (statement) throws(DatabaseError) in
            // Skip a record whose own key has another spelling, for example in a column that ignores case.
            guard !isFound, try reader.key(statement, in: database) == key else { return }
            isFound = true
            try body(statement)
        }
    }

    /// Calls a closure with the records that have these keys, all of which are in the list, in any order.
    ///
    /// It may also receive records whose own keys have another spelling, for example in a column that ignores case.
    func forEachRecord(
        withKeys keys: [[UInt8]], _ reader: RecordReader,
        _ body: (ResultRow, _ key: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        guard !list.table.isPositional else {
            var wanted = Set(keys)
            let limit = wanted.isEmpty ? 0 : RecordList.mostPositions
            return try RecordScan(list, reader, in: database, limit: limit).forEachRecord {
                (row, key) throws(DatabaseError) in
                if wanted.remove(Array(copying: key)) != nil { try body(row, key) }
                return !wanted.isEmpty
            }
        }
        let all = RecordList(list.table)
        var values: [DatabaseValue] = []
        for key in keys {
            if let value = all.value(ofKey: key) {
                values.append(value)
            } else {
                try RecordLookup(list: all, database: database).read(key, reader) { (statement) throws(DatabaseError) in
                    try body(statement, key.span)
                }
            }
        }
        guard !values.isEmpty else { return }
        var key = ByteBuffer(capacity: 32)
        for condition in all.keyColumns[0].conditions(thatOneOf: values) {
            try database.connection.rows("SELECT \(reader.columns) \(all.records(where: [condition]))") {
                (statement) throws(DatabaseError) in
                try reader.write(&key, of: statement, in: database)
                try body(statement, key.span)
            }
        }
    }

    /// Returns whether the record with a key meets the list's own conditions; true for a list without conditions.
    func meetsOwnConditions(_ key: [UInt8]) throws(DatabaseError) -> Bool {
        guard !list.own.conditions.isEmpty else { return true }
        var query = RowQuery()
        query.conditions = list.own.conditions
        let reader = RecordReader(list: list, for: query)
        var packer = RowPacker()
        try read(key, reader) { (statement) throws(DatabaseError) in
            reader.begin(statement, key: key.span, in: &packer)
            _ = reader.addFields(statement, to: &packer)
        }
        return ArrangedRows(level: try packer.packed(), by: query).count > 0
    }
}

extension RecordReader {
    /// Returns the key of a record.
    func key(_ row: ResultRow, in database: OpenDatabase) throws(DatabaseError) -> [UInt8] {
        var key = ByteBuffer(capacity: 32)
        try write(&key, of: row, in: database)
        return Array(copying: key.span)
    }

    /// Replaces a text by the key of a record. If a key column is NULL, and another record has the same values in all
    /// key columns, the key ends with the rowid.
    func write(_ key: inout ByteBuffer, of row: ResultRow, in database: OpenDatabase) throws(DatabaseError) {
        key.truncate(to: 0)
        if !appendKey(row, to: &key) {
            let long = try longKey(row, in: database)
            key.append(long.span)
        }
        guard !key.isIncomplete else { throw .outOfMemory }
    }

    private func longKey(_ row: ResultRow, in database: OpenDatabase) throws(DatabaseError) -> [UInt8] {
        var values = keyValues(row)
        if let rowID = rowID(row) {
            let conditions = zip(table.key, values).map { "c.\(table.keyTerm($0)) IS \($1)" as SQL }
            let others = try database.connection.first(
                "SELECT 1 FROM \(table.source) AS c WHERE \(conditions.joined(by: " AND ")) LIMIT 1 OFFSET 1")
            if others != nil { values.append(rowID) }
        }
        return RecordKey.text(values, affinities: table.keyAffinities)
    }
}

extension RecordList {
    /// The columns of the key, or the rowid.
    fileprivate var keyColumns: [SQL] {
        table.key.isEmpty ? [table.rowIDColumn] : table.key.map { "c.\(table.keyTerm($0))" }
    }

    /// Returns the conditions that the columns of the key have the values in a key; nil for text that is not a key.
    fileprivate func conditions(ofKey key: [UInt8]) -> [SQL]? {
        let affinities = table.keyAffinities
        guard let values = RecordKey.values(key, affinities: affinities) else { return nil }
        let conditions = zip(keyColumns, values).map { $0.equals($1) }
        guard values.count > affinities.count else { return conditions }
        guard table.rowID != nil, values.contains(.null), !table.key.isEmpty else { return nil }
        return conditions + [table.rowIDColumn.equals(values[affinities.count])]
    }

    /// Returns the value of a key, if the key is the value of one column, which is not NULL; otherwise nil.
    fileprivate func value(ofKey key: [UInt8]) -> DatabaseValue? {
        let affinities = table.keyAffinities
        guard affinities.count == 1 else { return nil }
        if affinities[0] != .text, let integer = RecordKey.plainInteger(key) { return integer }
        guard let values = RecordKey.values(key, affinities: affinities), values.count == 1, values[0] != .null else {
            return nil
        }
        return values[0]
    }
}
