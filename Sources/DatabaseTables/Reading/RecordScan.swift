internal import Bytes
internal import DatabaseTrees

/// Reads the records of a list in order. If an index gives the order only in parts, several statements read one part after
/// the other.
struct RecordScan {
    /// Receives a record, as a row of a statement, and the key of the record. Returns false to end the reading.
    typealias Body = (ResultRow, _ key: Span<UInt8>) throws(DatabaseError) -> Bool

    private let list: RecordList
    private let reader: RecordReader
    private let database: OpenDatabase
    private var left: Int
    /// The number of records that must still be passed over, and whether the OFFSET of the statement does this.
    private var toPass: Int
    private let isPassedByStatement: Bool
    private var position: Int
    private let isReversed: Bool

    /// - Parameters:
    ///   - limit: the maximum number of records.
    ///   - offset: the number of records to pass over first.
    ///   - isReversed: whether to read backwards, from the end of the list.
    init(
        _ list: RecordList, _ reader: RecordReader, in database: OpenDatabase, limit: Int, offset: Int = 0,
        isReversed: Bool = false
    ) {
        (self.list, self.reader, self.database, left, self.isReversed) = (list, reader, database, limit, isReversed)
        isPassedByStatement = list.soughtTerms == 0 && !list.splitsNull
        toPass = offset
        position = offset
    }

    /// Calls a closure with the records, until the closure returns false.
    ///
    /// - Parameter after: the values of the terms of the record after which the reading begins; nil to begin with the
    ///   first record.
    func forEachRecord(after: [DatabaseValue]? = nil, _ body: Body) throws(DatabaseError) {
        var scan = self
        try scan.walk(from: 0, equal: [], after: after, body)
    }

    /// Reads the records whose leading terms have the values `equal`. The values of the next terms, up to the number
    /// `RecordList.soughtTerms`, are sought one by one.
    ///
    /// - Parameters:
    ///   - first: the number of values in `equal`.
    ///   - after: the values of all terms of the record after which the reading begins; nil to read all records whose
    ///     leading terms have the values `equal`.
    private mutating func walk(
        from first: Int, equal: [DatabaseValue], after: [DatabaseValue]?, _ body: Body
    ) throws(DatabaseError) {
        guard first < list.soughtTerms else {
            let parts =
                after.map { ListScan.parts(after: $0, terms: list.terms, from: first, isReversed: isReversed) }
                ?? parts(equalTo: equal)
            for part in parts where !isDone { try read(part, body) }
            return
        }
        if let after {
            try walk(from: first + 1, equal: equal + [after[first]], after: after, body)
            if after[first] == .null { return }
        }
        let term = list.terms[first]
        var last = after?[first]
        while !isDone, let value = try list.next(term, after: last, where: conditions(equalTo: equal), in: database) {
            try walk(from: first + 1, equal: equal + [value], after: nil, body)
            last = value
        }
        if term.isNullable, !isDone { try walk(from: first + 1, equal: equal + [.null], after: nil, body) }
    }

    private mutating func read(_ part: ListScan, _ body: Body) throws(DatabaseError) {
        let isPositional = list.table.isPositional
        var key = ByteBuffer(capacity: 32)
        try database.connection.rows(statement(part)) { (row) throws(DatabaseError) in
            guard !isDone, !passesOver() else { return }
            if isPositional {
                key.truncate(to: 0)
                key.append(decimal: UInt64(position))
            } else {
                try reader.write(&key, of: row, in: database)
            }
            left -= 1
            position += 1
            if try !body(row, key.span) { left = 0 }
        }
    }

    private var isDone: Bool { left <= 0 }

    /// Counts down the records to pass over. Returns whether the present record is one of these.
    private mutating func passesOver() -> Bool {
        guard !isPassedByStatement, toPass > 0 else { return false }
        toPass -= 1
        return true
    }

    /// Returns the conditions that the leading terms have these values.
    private func conditions(equalTo values: [DatabaseValue]) -> [SQL] {
        zip(list.terms, values).map { $0.sql.equals($1) }
    }

    /// Returns the parts with the records whose leading terms have these values. An index gives the records of each
    /// part in order.
    private func parts(equalTo values: [DatabaseValue]) -> [ListScan] {
        let equal = conditions(equalTo: values)
        guard list.splitsNull, !isReversed else { return [ListScan(conditions: equal, settled: values.count)] }
        let term = list.terms[values.count].sql
        let (some, none): (SQL, SQL) = ("\(term) IS NOT NULL", "\(term) IS NULL")
        return [some, none].map { ListScan(conditions: equal + [$0], settled: values.count + 1) }
    }

    private func statement(_ part: ListScan) -> SQL {
        let order = ListScan.order(by: list.terms, isReversed: isReversed, ranged: part.ranged, settled: part.settled)
        let ordered: SQL = list.terms.isEmpty ? "" : " ORDER BY \(order)"
        let limit = Int64(left + (isPassedByStatement ? 0 : toPass))
        let passing: SQL = isPassedByStatement && toPass > 0 ? " OFFSET \(Int64(toPass))" : ""
        return "SELECT \(reader.columns) \(list.records(where: part.conditions))\(ordered) LIMIT \(limit)\(passing)"
    }
}

extension RecordList {
    /// Returns the statement that finds the next value of a term that is not NULL, in the order of the term.
    ///
    /// - Parameters:
    ///   - last: the previous value; nil to find the first value.
    ///   - isIncluded: whether the result may also be equal to `last`.
    ///   - more: further conditions.
    func seek(_ term: OrderTerm, after last: SQL? = nil, isIncluded: Bool = false, where more: [SQL] = []) -> SQL {
        let sign: SQL = term.isDescending ? "<" : ">"
        let part: SQL =
            last.map { "\(term.sql) \(sign)\(isIncluded ? "=" : "") \($0)" } ?? "\(term.sql) IS NOT NULL"
        return "SELECT \(term.sql) \(records(where: more + [part])) ORDER BY \(term.directed()) LIMIT 1"
    }

    /// Returns the value that `seek` finds; nil at the end.
    func next(
        _ term: OrderTerm, after last: DatabaseValue?, isIncluded: Bool = false, where more: [SQL] = [],
        in database: OpenDatabase
    ) throws(DatabaseError) -> DatabaseValue? {
        let sql = seek(term, after: last.map { "\($0)" }, isIncluded: isIncluded, where: more)
        return try database.connection.first(sql)?[0]
    }
}
