internal import Bytes
internal import DatabaseTrees
internal import Levels

/// Reading of single records by their keys, and of lists in order.
extension TableReading {
    /// Receives a record, as a row of a statement, and its key; returns false to end the reading.
    typealias RecordBody = (ResultRow, _ key: [UInt8]) throws(DatabaseError) -> Bool

    /// Returns the record with a key in a list, as a row, and its place; nil if the key is unknown.
    ///
    /// - Parameters:
    ///   - number: the number of the list's table.
    ///   - isWhole: whether the row has the record's fields.
    func record(
        _ key: [UInt8], in list: RecordList, number: Int, isWhole: Bool
    ) throws(DatabaseError) -> (Item.Step, Place)? {
        guard try meetsOwnConditions(key, in: list) else { return nil }
        let reader = RecordReader(list: list, showing: { _ in isWhole }, limit: RecordReader.detailLimit)
        var found: (Item.Step, Place)?
        try read(key, in: list, reader: reader) { (statement, position) throws(DatabaseError) in
            var packer = RowPacker()
            packer.beginRow(key: key.span, title: reader.title(statement, key: key).span)
            let refusal = reader.addFields(statement, to: &packer)
            let record = Record(
                identity: reader.identity(statement), terms: reader.terms(statement), list: list,
                position: position, refusal: refusal)
            found = (try Self.step(packer), .record(number, record))
        }
        return found
    }

    /// Calls a closure with the record that has a key, if the list has one.
    ///
    /// - Parameter body: receives the row of the statement, and the position if only that identifies the record.
    func read(
        _ key: [UInt8], in list: RecordList, reader: RecordReader,
        _ body: (ResultRow, _ position: Int?) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let columns = reader.columns.joined(separator: ", ")
        let connection = try database.connection
        guard !list.table.isPositional else {
            guard let position = Int(digits: key.span), position < Self.mostPositions,
                "\(position)".utf8.elementsEqual(key)
            else { return }
            let sql =
                "SELECT \(columns) FROM \(list.source)\(list.condition.map { " WHERE \($0)" } ?? "") LIMIT 1 OFFSET ?"
            try connection.rows(sql, list.values + [.integer(Int64(position))]) { (statement) throws(DatabaseError) in
                try body(statement, position)
            }
            return
        }
        let affinities = list.table.keyAffinities
        guard let values = RecordKey.values(key, affinities: affinities) else { return }
        let terms =
            list.table.key.isEmpty ? [list.table.rowID ?? ""] : list.table.key.map { list.table.columns[$0].quoted }
        var conditions = list.condition.map { [$0] } ?? []
        for (term, value) in zip(terms, values) { conditions.append("c.\(term) \(value == .null ? "IS NULL" : "= ?")") }
        if values.count > affinities.count {
            guard let rowID = list.table.rowID, values.contains(.null), !list.table.key.isEmpty else { return }
            conditions.append("c.\(rowID) = ?")
        }
        let sql = "SELECT \(columns) FROM \(list.source) WHERE \(conditions.joined(separator: " AND "))"
        var isFound = false
        try connection.rows(sql, list.values + values.filter { $0 != .null }) { (statement) throws(DatabaseError) in
            // Skip a record whose own key has another spelling, for example in a column that ignores case.
            guard !isFound, try self.key(statement, reader: reader, of: list.table) == key else { return }
            isFound = true
            try body(statement, nil)
        }
    }

    /// Returns the key of a record. If a key column is NULL, and another record has the same values in all key columns,
    /// the key ends with the rowid.
    func key(_ statement: ResultRow, reader: RecordReader, of table: Table) throws(DatabaseError) -> [UInt8] {
        var values = reader.keyValues(statement)
        if values.contains(.null), let rowID = reader.rowID(statement) {
            let conditions = table.key.map { "c.\(table.columns[$0].quoted) IS ?" }.joined(separator: " AND ")
            let others = try database.connection.first(
                "SELECT 1 FROM \(table.source) AS c WHERE \(conditions) LIMIT 1 OFFSET 1", values)
            if others != nil { values.append(rowID) }
        }
        return RecordKey.text(values, affinities: table.keyAffinities)
    }

    /// Calls a closure with the records of a list in order, until it returns false.
    ///
    /// - Parameters:
    ///   - after: the values of the terms of the record before the first; nil for the beginning of the list.
    ///   - limit: the maximum number of records.
    ///   - offset: the number of records that are passed over first.
    ///   - isReversed: whether to read backwards, from `after` or the end of the list.
    func forEachRecord(
        of list: RecordList, after: [SQLiteValue]? = nil, _ reader: RecordReader, limit: Int, offset: Int = 0,
        isReversed: Bool = false, _ body: RecordBody
    ) throws(DatabaseError) {
        var scan = RecordScan(list: list, reader: reader, left: limit, offset: offset, isReversed: isReversed)
        try walk(&scan, from: 0, equal: [], after: after, body)
    }

    /// Reads the records whose first terms have the values `equal`; the values of the next terms are sought one by one
    /// (`RecordList.soughtTerms`).
    ///
    /// - Parameters:
    ///   - first: the number of values in `equal`.
    ///   - after: the values of the terms of the record before the first; nil for all records with the values `equal`.
    private func walk(
        _ scan: inout RecordScan, from first: Int, equal: [SQLiteValue], after: [SQLiteValue]?, _ body: RecordBody
    ) throws(DatabaseError) {
        guard first < scan.list.soughtTerms else {
            let parts =
                after.map {
                    ListScan.parts(after: $0, terms: scan.list.terms, from: first, isReversed: scan.isReversed)
                }
                ?? scan.parts(equalTo: equal)
            for part in parts where !scan.isDone { try read(&scan, part: part, body) }
            return
        }
        if let after {
            try walk(&scan, from: first + 1, equal: equal + [after[first]], after: after, body)
            if after[first] == .null { return }
        }
        let term = scan.list.terms[first]
        let fixed = scan.part(equalTo: equal)
        var last = after?[first]
        while !scan.isDone,
            let value = try next(
                term, after: last, in: scan.list, where: (fixed.condition.map { [$0] } ?? [], fixed.values))
        {
            try walk(&scan, from: first + 1, equal: equal + [value], after: nil, body)
            last = value
        }
        if term.isNullable, !scan.isDone { try walk(&scan, from: first + 1, equal: equal + [.null], after: nil, body) }
    }

    private func read(_ scan: inout RecordScan, part: ListScan, _ body: RecordBody) throws(DatabaseError) {
        let (sql, values) = scan.statement(part)
        try database.connection.rows(sql, values) { (statement) throws(DatabaseError) in
            guard !scan.isDone, !scan.passesOver() else { return }
            let key =
                scan.list.table.isPositional
                ? Array("\(scan.position)".utf8) : try self.key(statement, reader: scan.reader, of: scan.list.table)
            scan.count()
            if try !body(statement, key) { scan.end() }
        }
    }
}

/// The progress of reading records one after another, with several statements.
private struct RecordScan {
    let list: RecordList
    let reader: RecordReader
    private var left: Int
    /// The number of records still to pass over, and whether the OFFSET of the statement does it.
    private var toPass: Int
    private let isPassedByStatement: Bool
    private(set) var position: Int
    let isReversed: Bool

    init(list: RecordList, reader: RecordReader, left: Int, offset: Int, isReversed: Bool) {
        (self.list, self.reader, self.left, self.isReversed) = (list, reader, left, isReversed)
        isPassedByStatement = list.soughtTerms == 0 && !list.splitsNull
        toPass = offset
        position = offset
    }

    var isDone: Bool { left <= 0 }

    mutating func count() {
        left -= 1
        position += 1
    }

    mutating func end() { left = 0 }

    /// Counts down the records to pass over; returns whether the present record is one of them.
    mutating func passesOver() -> Bool {
        guard !isPassedByStatement, toPass > 0 else { return false }
        toPass -= 1
        return true
    }

    /// Returns the part with the records whose first terms have these values.
    func part(equalTo values: [SQLiteValue]) -> ListScan {
        let conditions = zip(list.terms, values).map { $1 == .null ? "\($0.sql) IS NULL" : "\($0.sql) = ?" }
        return ListScan(
            condition: conditions.isEmpty ? nil : conditions.joined(separator: " AND "),
            values: values.filter { $0 != .null }, settled: values.count)
    }

    /// Returns the parts with the records whose first terms have these values, each of which an index gives in order.
    func parts(equalTo values: [SQLiteValue]) -> [ListScan] {
        let all = part(equalTo: values)
        guard list.splitsNull, !isReversed else { return [all] }
        let term = list.terms[values.count].sql
        return ["\(term) IS NOT NULL", "\(term) IS NULL"].map { condition in
            ListScan(
                condition: [all.condition, condition].compactMap(\.self).joined(separator: " AND "),
                values: all.values, settled: values.count + 1)
        }
    }

    func statement(_ part: ListScan) -> (sql: String, values: [SQLiteValue]) {
        let conditions = [list.condition, part.condition].compactMap(\.self)
        let order = ListScan.order(by: list.terms, isReversed: isReversed, ranged: part.ranged, settled: part.settled)
        let offset = isPassedByStatement ? toPass : 0
        let sql =
            "SELECT \(reader.columns.joined(separator: ", ")) FROM \(list.source)"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
            + (order.isEmpty ? "" : " ORDER BY \(order)") + " LIMIT ?" + (offset > 0 ? " OFFSET ?" : "")
        let limits = [left + (isPassedByStatement ? 0 : toPass)] + (offset > 0 ? [offset] : [])
        return (sql, list.values + part.values + limits.map { .integer(Int64($0)) })
    }
}
