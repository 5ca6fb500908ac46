internal import DatabaseTrees
internal import Levels

/// The values of the first drill column of a list.
struct DrilledValues: ShortLevel {
    private let list: RecordList
    private let database: OpenDatabase
    private var values: [Value] = []

    /// A value, as a row, with the list of the records that have this value.
    private struct Value {
        let title: [UInt8]
        let key: [UInt8]
        let list: RecordList
        /// The number of the records.
        let count: Int
    }

    /// Returns the level of a list: the values of its first drill column, or the records if it lacks drill columns.
    static func level(of list: RecordList, in database: OpenDatabase) throws -> any TableLevel {
        guard let column = list.drillColumns.first else { return RecordLevel(list: list, database: database) }
        return try DrilledValues(list, by: column, in: database)
    }

    private init(_ list: RecordList, by column: Int, in database: OpenDatabase) throws {
        (self.list, self.database) = (list, database)
        values = try values(of: column)
    }

    var rowCount: Int { values.count }

    func row(_ number: Int) -> (key: [UInt8], title: [UInt8]) { (values[number].key, values[number].title) }

    func level(below number: Int) throws -> any TableLevel { try Self.level(of: values[number].list, in: database) }

    func count(below number: Int) throws -> RecordCount {
        guard !values[number].list.drillColumns.isEmpty else {
            return RecordCount(number: values[number].count, isEstimate: false)
        }
        do {
            return RecordCount(number: try level(below: number).count(), isEstimate: false)
        } catch is RowRefusal {
            // Only the level of this value is refused.
            return RecordCount(number: 1, isEstimate: true)
        }
    }

    /// Returns the values of the first drill column, in order of first appearance, or of a large list in the order of an
    /// index. Values with the same text count as one value.
    ///
    /// - Throws: `RowRefusal` if the list is large, and no index finds the values.
    private func values(of column: Int) throws -> [Value] {
        let type = list.table.columns[column].type
        let term = list.table.exactTerm(column)
        var groups: [(title: [UInt8], values: Set<DatabaseValue>, count: Int)] = []
        var numbers: [[UInt8]: Int] = [:]
        try forEachValue(of: term) { value, count in
            let title = value.drillTitle(of: type)
            if let number = numbers[title] {
                groups[number].values.insert(value)
                groups[number].count += count
            } else {
                numbers[title] = groups.count
                groups.append((title, [value], count))
            }
        }
        let keys = SiblingNames.keys(of: groups.map { String(decoding: $0.title, as: UTF8.self) })
        return zip(groups, keys).map { group, key in
            var part = list
            part.drillColumns.removeFirst()
            let isNone = group.values.contains(.null)
            let others = group.values.filter { $0 != .null }
            let conditions: [SQL] =
                (isNone ? ["\(term.sql) IS NULL"] : []) + (others.isEmpty ? [] : [term.sql.isOne(of: others)])
            part.add("(\(conditions.joined(by: " OR ")))")
            if group.values.count == 1 { part.equal.append(term) } else { part.isServable = false }
            return Value(title: group.title, key: key, list: part, count: group.count)
        }
    }

    /// Calls a closure with the values of a column, and numbers of records that have them: with the value of each record
    /// that meets the list's own conditions, or of a large list with each value.
    private func forEachValue(of term: OrderTerm, _ body: (DatabaseValue, Int) -> Void) throws {
        let total = try database.total(list)
        guard !total.isEstimate, total.number <= database.options.arrangedRows else {
            guard list.own.conditions.isEmpty, let column = term.column else {
                throw try ListIndexes(list: list, database: database).needsIndex(
                    terms: [], parameter: nil, purpose: "finds the values of its drill column")
            }
            let name = list.table.columns[column].name
            let runs = SectionRuns(list: list, database: database)
            for (value, count) in try runs.values(of: term, named: name, sortedBy: nil, for: nil) {
                body(value, count)
            }
            if let none = try runs.nullRun(of: term, title: nil), none.count > 0 { body(.null, none.count) }
            return
        }
        var kept: Set<Int>?
        if !list.own.conditions.isEmpty {
            var query = RowQuery()
            query.conditions = list.own.conditions
            let rows = try ArrangedRecords(list, by: query, count: total.number, in: database).rows
            kept = Set((0..<rows.count).map(rows.rowNumber))
        }
        let ordered: SQL = list.terms.isEmpty ? "" : " ORDER BY \(ListScan.order(by: list.terms))"
        var row = 0
        try database.connection.rows("SELECT \(term.sql) \(list.records())\(ordered)") {
            (statement) throws(DatabaseError) in
            if kept?.contains(row) ?? true { body(statement.value(0), 1) }
            row += 1
        }
    }
}

extension DatabaseValue {
    /// The title of a value of a drill column.
    ///
    /// - Parameter type: the type of the value's column in PostgreSQL; nil in SQLite.
    fileprivate func drillTitle(of type: PostgresType?) -> [UInt8] {
        if case .data = self { return Array("(data)".utf8) }
        if self == .text([]) { return Array("(none)".utf8) }
        return Array((sectionTitle(of: type) ?? "(none)").utf8)
    }
}
