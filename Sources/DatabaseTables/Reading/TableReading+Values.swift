internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

extension RecordList {
    /// Whether a detail shows the list as it is arranged in memory: the list has conditions or an order of its own, or
    /// its records have only positions.
    var isArranged: Bool { own != RowQuery() || table.isPositional }

    /// Returns a query with the list's own conditions added. Adds the list's order, too, unless the query has an order
    /// or a search.
    func query(_ asked: RowQuery) -> RowQuery {
        var query = asked
        query.conditions = own.conditions + query.conditions
        if query.order.sort == nil, query.usesOwnOrder { query.order.sort = own.order.sort }
        return query
    }
}

/// The lists of items of documents: their own conditions and orders, and the values of their drill columns.
extension TableReading {
    /// A value of a drill column, as a row, with the list of the records that have this value.
    struct DrilledValue {
        let title: [UInt8]
        let key: [UInt8]
        let list: RecordList
        /// The number of the records.
        let count: Int
    }

    /// Returns the records of a list, filtered and sorted by the list's own conditions and order. Returns nil for a list
    /// that is not arranged, or has too many records to be sorted in memory.
    func ownArrangement(of list: RecordList) throws(DatabaseError) -> (rows: ArrangedRows, level: Level)? {
        guard list.isArranged else { return nil }
        guard !list.table.isPositional else {
            return try arrangement(of: list, query: list.own, count: Self.mostPositions)
        }
        let total = try total(list)
        guard !total.isEstimate, total.number <= rows.options.arrangedRows else { return nil }
        return try arrangement(of: list, query: list.own, count: total.number)
    }

    /// Returns whether the record with a key meets the list's own conditions; true for a list without conditions.
    func meetsOwnConditions(_ key: [UInt8], in list: RecordList) throws(DatabaseError) -> Bool {
        guard !list.own.conditions.isEmpty else { return true }
        var query = RowQuery()
        query.conditions = list.own.conditions
        let looked = query.lookedAt
        let reader = RecordReader(
            list: list, showing: { looked?.contains($0.bytes) ?? true }, limit: RecordReader.detailLimit)
        var packer = RowPacker()
        try read(key, in: list, reader: reader) { (statement, _) throws(DatabaseError) in
            reader.begin(statement, key: key.span, in: &packer)
            _ = reader.addFields(statement, to: &packer)
        }
        return ArrangedRows(level: try Self.level(packer), by: query).count > 0
    }

    /// Returns the row and the place of the value with a key; nil if the key is unknown.
    func value(_ key: [UInt8], in list: RecordList, table: Int) throws -> (Item.Step, Place)? {
        let values = try values(of: list)
        guard let number = values.firstIndex(where: { $0.key == key }) else { return nil }
        return (
            try Self.step(key: key, title: values[number].title),
            .values(values[number].list, table, among: (list, number))
        )
    }

    func valuesPage(_ list: RecordList, query: RowQuery, cursor: PageCursor?) throws -> RowPage {
        let values = try values(of: list)
        var packer = RowPacker()
        for value in values { packer.beginRow(key: value.key.span, title: value.title.span) }
        return try shortPage(Self.level(packer), query: query, cursor: cursor) { number in
            let value = values[number]
            guard !value.list.drillColumns.isEmpty else {
                return RecordCount(number: value.count, isEstimate: false)
            }
            do {
                return RecordCount(number: try self.values(of: value.list).count, isEstimate: false)
            } catch is RowRefusal {
                // Only the level of this value is refused.
                return RecordCount(number: 1, isEstimate: true)
            }
        }
    }

    /// Returns the values of the first drill column, in order of first appearance, or of a large list in the order of an
    /// index. Values with the same text count as one value. Empty if the list lacks drill columns.
    ///
    /// - Throws: `RowRefusal` if the list is large, and no index finds the values.
    func values(of list: RecordList) throws -> [DrilledValue] {
        guard let column = list.drillColumns.first else { return [] }
        let type = list.table.columns[column].type
        let term = list.table.exactTerm(column)
        var groups: [(title: [UInt8], values: Set<DatabaseValue>, count: Int)] = []
        var numbers: [[UInt8]: Int] = [:]
        try forEachValue(of: term, in: list) { value, count in
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
            return DrilledValue(title: group.title, key: key, list: part, count: group.count)
        }
    }

    /// Calls a closure with the values of a column, and numbers of records that have them: with the value of each record
    /// that meets the list's own conditions, or of a large list with each value.
    private func forEachValue(of term: OrderTerm, in list: RecordList, _ body: (DatabaseValue, Int) -> Void) throws {
        let total = try total(list)
        guard !total.isEstimate, total.number <= rows.options.arrangedRows else {
            guard list.own.conditions.isEmpty, let column = term.column else {
                throw try needsIndex(list, terms: [], parameter: nil, purpose: "finds the values of its drill column")
            }
            let name = list.table.columns[column].name
            for (value, count) in try values(of: term, in: list, named: name, sortedBy: nil, for: nil) {
                body(value, count)
            }
            if let none = try nullRun(of: term, in: list, title: nil), none.count > 0 { body(.null, none.count) }
            return
        }
        var kept: Set<Int>?
        if !list.own.conditions.isEmpty {
            var query = RowQuery()
            query.conditions = list.own.conditions
            let (rows, _) = try arrangement(of: list, query: query, count: total.number)
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
