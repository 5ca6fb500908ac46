internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

extension RecordList {
    /// Whether the list has conditions or an order of its own.
    var isArranged: Bool { own != RowQuery() }

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

    /// Returns the records of a list, filtered and sorted by the list's own conditions and order. Returns nil if the
    /// list has too many records to be sorted in memory.
    func ownArrangement(of list: RecordList) throws(DatabaseError) -> (rows: ArrangedRows, level: Level)? {
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

    func count(valuesOrRecordsOf list: RecordList) throws(DatabaseError) -> RecordCount {
        list.drillColumns.isEmpty
            ? try count(list) : RecordCount(number: try values(of: list).count, isEstimate: false)
    }

    /// Returns the row and the place of the value with a key; nil if the key is unknown.
    func value(_ key: [UInt8], in list: RecordList, table: Int) throws(DatabaseError) -> (Item.Step, Place)? {
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
            values[number].list.drillColumns.isEmpty
                ? RecordCount(number: values[number].count, isEstimate: false)
                : try self.count(valuesOrRecordsOf: values[number].list)
        }
    }

    /// Returns the values of the first drill column, in order of first appearance. Values with the same text count as
    /// one value. Empty if the list lacks drill columns.
    func values(of list: RecordList) throws(DatabaseError) -> [DrilledValue] {
        guard let column = list.drillColumns.first else { return [] }
        let kept = try keptRows(of: list)
        let place = "c.\(list.table.columns[column].quoted)"
        let type = list.table.columns[column].type
        let order = ListScan.order(by: list.terms, isReversed: false)
        let sql =
            "SELECT \(place) FROM \(list.source)\(list.condition.map { " WHERE \($0)" } ?? "")"
            + (order.isEmpty ? "" : " ORDER BY \(order)")
        var groups: [(title: [UInt8], values: Set<DatabaseValue>, count: Int)] = []
        var numbers: [[UInt8]: Int] = [:]
        var row = 0
        try database.connection.rows(sql, list.values) { (statement) throws(DatabaseError) in
            defer { row += 1 }
            guard kept?.contains(row) ?? true else { return }
            let value = statement.value(0)
            let title = value.drillTitle(of: type)
            if let number = numbers[title] {
                groups[number].values.insert(value)
                groups[number].count += 1
            } else {
                numbers[title] = groups.count
                groups.append((title, [value], 1))
            }
        }
        let keys = SiblingNames.keys(of: groups.map { String(decoding: $0.title, as: UTF8.self) })
        return zip(groups, keys).map { group, key in
            var part = list
            part.drillColumns.removeFirst()
            let isNone = group.values.contains(.null)
            let others = group.values.filter { $0 != .null }
            // Texts are compared exactly, regardless of the column's collation.
            let conditions =
                (isNone ? ["\(place) IS NULL"] : [])
                + (others.isEmpty
                    ? []
                    : [
                        "\(place)\(type == nil ? " COLLATE BINARY" : "") IN (\(others.map { _ in "?" }.joined(separator: ", ")))"
                    ])
            part.add("(\(conditions.joined(separator: " OR ")))", values: Array(others))
            return DrilledValue(title: group.title, key: key, list: part, count: group.count)
        }
    }

    /// Returns the numbers of the records that meet the list's own conditions; nil for a list without conditions.
    ///
    /// - Throws: `DatabaseError` if the table is too large.
    private func keptRows(of list: RecordList) throws(DatabaseError) -> Set<Int>? {
        let total = try total(list)
        guard !total.isEstimate, total.number <= rows.options.arrangedRows else {
            throw DatabaseError(kind: .timeout, reason: "the table is too large to be drilled")
        }
        guard !list.own.conditions.isEmpty else { return nil }
        var query = RowQuery()
        query.conditions = list.own.conditions
        let (rows, _) = try arrangement(of: list, query: query, count: total.number)
        return Set((0..<rows.count).map(rows.rowNumber))
    }
}

extension DatabaseValue {
    /// The title of a value of a drill column.
    ///
    /// - Parameter type: the type of the value's column in PostgreSQL; nil in SQLite.
    fileprivate func drillTitle(of type: PostgresType?) -> [UInt8] {
        if let type, case .text(let bytes) = self, !bytes.isEmpty {
            let shown = type.title(bytes) ?? bytes
            return NormalizationFormC.text(of: shown.span)
        }
        return switch self {
        case .null: Array("(none)".utf8)
        case .integer(let number): Array("\(number)".utf8)
        case .real(let number): Array(JSONText.real(number).utf8)
        case .text(let bytes):
            bytes.isEmpty
                ? Array("(none)".utf8)
                : NormalizationFormC.text(of: Array(String(decoding: bytes, as: UTF8.self).utf8).span)
        case .data: Array("(data)".utf8)
        }
    }
}
