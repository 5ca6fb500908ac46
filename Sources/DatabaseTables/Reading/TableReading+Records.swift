internal import Bytes
internal import DatabaseTrees
internal import Levels

/// Reading of single records by their keys, and of lists in order.
extension TableReading {
    /// Receives a record, as a row of a statement, and the key of the record. Returns false to end the reading.
    typealias RecordBody = (ResultRow, _ key: Span<UInt8>) throws(DatabaseError) -> Bool

    /// Returns the row and the place of the record with a key in a list; nil if the key is unknown.
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
            reader.begin(statement, key: key.span, in: &packer)
            let refusal = reader.addFields(statement, to: &packer)
            let record = Record(
                identity: reader.identity(statement), terms: reader.terms(statement), list: list,
                position: position, refusal: refusal)
            found = (try Self.step(packer), .record(number, record))
        }
        return found
    }

    /// Calls a closure with the record that has a key, if the list contains this record.
    ///
    /// - Parameter body: receives the row of the statement, and the record's position if only the position identifies
    ///   the record.
    func read(
        _ key: [UInt8], in list: RecordList, reader: RecordReader,
        _ body: (ResultRow, _ position: Int?) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let connection = try database.connection
        guard !list.table.isPositional else {
            guard let position = Int(digits: key.span), position < Self.mostPositions,
                "\(position)".utf8.elementsEqual(key)
            else { return }
            return try connection.rows(
                "SELECT \(reader.columns) \(list.records()) LIMIT 1 OFFSET \(Int64(position))"
            ) { (statement) throws(DatabaseError) in try body(statement, position) }
        }
        guard let conditions = list.conditions(ofKey: key) else { return }
        var isFound = false
        try connection.rows("SELECT \(reader.columns) \(list.records(where: conditions))") {
            (statement) throws(DatabaseError) in
            // Skip a record whose own key has another spelling, for example in a column that ignores case.
            guard !isFound, try self.key(statement, reader: reader) == key else { return }
            isFound = true
            try body(statement, nil)
        }
    }

    /// Calls a closure with the records that have these keys, all of which are in the list, in any order.
    ///
    /// It may also receive records whose own keys have another spelling, for example in a column that ignores case.
    func forEachRecord(
        withKeys keys: [[UInt8]], in list: RecordList, _ reader: RecordReader,
        _ body: (ResultRow, _ key: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        guard !list.table.isPositional else {
            var wanted = Set(keys)
            return try forEachRecord(of: list, reader, limit: wanted.isEmpty ? 0 : Self.mostPositions) {
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
                try read(key, in: all, reader: reader) { (statement, _) throws(DatabaseError) in
                    try body(statement, key.span)
                }
            }
        }
        for start in stride(from: 0, to: values.count, by: Self.recordsTogether) {
            let part = values[start..<min(start + Self.recordsTogether, values.count)]
            // Repeated values complete the number, so that there are few different statements.
            let added = Array(repeating: part[start], count: (8 - part.count % 8) % 8)
            let condition = all.keyColumns[0].isOne(of: part + added)
            var key = ByteBuffer(capacity: 32)
            try database.connection.rows("SELECT \(reader.columns) \(all.records(where: [condition]))") {
                (statement) throws(DatabaseError) in
                try self.write(&key, of: statement, reader: reader)
                try body(statement, key.span)
            }
        }
    }

    /// The maximum number of records that one statement reads by their keys.
    private static let recordsTogether = 128

    /// Returns the key of a record.
    func key(_ statement: ResultRow, reader: RecordReader) throws(DatabaseError) -> [UInt8] {
        var key = ByteBuffer(capacity: 32)
        try write(&key, of: statement, reader: reader)
        return Array(copying: key.span)
    }

    /// Replaces a text by the key of a record. If a key column is NULL, and another record has the same values in all
    /// key columns, the key ends with the rowid.
    private func write(
        _ key: inout ByteBuffer, of statement: ResultRow, reader: RecordReader
    ) throws(DatabaseError) {
        key.truncate(to: 0)
        if !reader.appendKey(statement, to: &key) {
            let long = try longKey(statement, reader: reader)
            key.append(long.span)
        }
        guard !key.isIncomplete else { throw Self.outOfMemory }
    }

    private func longKey(_ statement: ResultRow, reader: RecordReader) throws(DatabaseError) -> [UInt8] {
        let table = reader.table
        var values = reader.keyValues(statement)
        if let rowID = reader.rowID(statement) {
            let conditions = zip(table.key, values).map { "c.\(table.keyTerm($0)) IS \($1)" as SQL }
            let others = try database.connection.first(
                "SELECT 1 FROM \(table.source) AS c WHERE \(conditions.joined(by: " AND ")) LIMIT 1 OFFSET 1")
            if others != nil { values.append(rowID) }
        }
        return RecordKey.text(values, affinities: table.keyAffinities)
    }

    /// Calls a closure with the records of a list in order, until the closure returns false.
    ///
    /// - Parameters:
    ///   - after: the values of the terms of the record after which the reading begins; nil to read the list from its
    ///     beginning.
    ///   - limit: the maximum number of records.
    ///   - offset: the number of records to pass over first.
    ///   - isReversed: whether to read backwards, from the record with the values `after`, or from the end of the list.
    func forEachRecord(
        of list: RecordList, after: [DatabaseValue]? = nil, _ reader: RecordReader, limit: Int, offset: Int = 0,
        isReversed: Bool = false, _ body: RecordBody
    ) throws(DatabaseError) {
        var scan = RecordScan(list: list, reader: reader, left: limit, offset: offset, isReversed: isReversed)
        try walk(&scan, from: 0, equal: [], after: after, body)
    }

    /// Reads the records whose leading terms have the values `equal`. The values of the next terms, up to the number
    /// `RecordList.soughtTerms`, are sought one by one.
    ///
    /// - Parameters:
    ///   - first: the number of values in `equal`.
    ///   - after: the values of all terms of the record after which the reading begins; nil to read all records whose
    ///     leading terms have the values `equal`.
    private func walk(
        _ scan: inout RecordScan, from first: Int, equal: [DatabaseValue], after: [DatabaseValue]?, _ body: RecordBody
    ) throws(DatabaseError) {
        guard first < scan.list.soughtTerms else {
            let parts =
                after.map {
                    ListScan.parts(after: $0, terms: scan.list.terms, from: first, isReversed: scan.isReversed)
                } ?? scan.parts(equalTo: equal)
            for part in parts where !scan.isDone { try read(&scan, part: part, body) }
            return
        }
        if let after {
            try walk(&scan, from: first + 1, equal: equal + [after[first]], after: after, body)
            if after[first] == .null { return }
        }
        let term = scan.list.terms[first]
        var last = after?[first]
        while !scan.isDone,
            let value = try next(term, after: last, in: scan.list, where: scan.conditions(equalTo: equal))
        {
            try walk(&scan, from: first + 1, equal: equal + [value], after: nil, body)
            last = value
        }
        if term.isNullable, !scan.isDone { try walk(&scan, from: first + 1, equal: equal + [.null], after: nil, body) }
    }

    private func read(_ scan: inout RecordScan, part: ListScan, _ body: RecordBody) throws(DatabaseError) {
        let isPositional = scan.list.table.isPositional
        var key = ByteBuffer(capacity: 32)
        try database.connection.rows(scan.statement(part)) { (statement) throws(DatabaseError) in
            guard !scan.isDone, !scan.passesOver() else { return }
            if isPositional {
                key.truncate(to: 0)
                key.append(decimal: UInt64(scan.position))
            } else {
                try self.write(&key, of: statement, reader: scan.reader)
            }
            scan.count()
            if try !body(statement, key.span) { scan.end() }
        }
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

/// The progress of reading records one after another, with several statements.
private struct RecordScan {
    let list: RecordList
    let reader: RecordReader
    private var left: Int
    /// The number of records that must still be passed over, and whether the OFFSET of the statement does this.
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

    /// Counts down the records to pass over. Returns whether the present record is one of these.
    mutating func passesOver() -> Bool {
        guard !isPassedByStatement, toPass > 0 else { return false }
        toPass -= 1
        return true
    }

    /// Returns the conditions that the leading terms have these values.
    func conditions(equalTo values: [DatabaseValue]) -> [SQL] { zip(list.terms, values).map { $0.sql.equals($1) } }

    /// Returns the parts with the records whose leading terms have these values. An index gives the records of each
    /// part in order.
    func parts(equalTo values: [DatabaseValue]) -> [ListScan] {
        let equal = conditions(equalTo: values)
        guard list.splitsNull, !isReversed else { return [ListScan(conditions: equal, settled: values.count)] }
        let term = list.terms[values.count].sql
        let (some, none): (SQL, SQL) = ("\(term) IS NOT NULL", "\(term) IS NULL")
        return [some, none].map { ListScan(conditions: equal + [$0], settled: values.count + 1) }
    }

    func statement(_ part: ListScan) -> SQL {
        let order = ListScan.order(by: list.terms, isReversed: isReversed, ranged: part.ranged, settled: part.settled)
        let ordered: SQL = list.terms.isEmpty ? "" : " ORDER BY \(order)"
        let limit = Int64(left + (isPassedByStatement ? 0 : toPass))
        let passing: SQL = isPassedByStatement && toPass > 0 ? " OFFSET \(Int64(toPass))" : ""
        return "SELECT \(reader.columns) \(list.records(where: part.conditions))\(ordered) LIMIT \(limit)\(passing)"
    }
}
