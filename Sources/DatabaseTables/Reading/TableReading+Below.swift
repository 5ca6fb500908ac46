internal import DatabaseTrees
internal import Levels

/// The rows below records.
extension TableReading {
    /// Returns the records of a table's first level.
    func list(ofTable number: Int) throws(DatabaseError) -> RecordList {
        let catalogue = try catalogue
        var list = RecordList(firstLevelOf: catalogue.tables[number])
        if let shown = catalogue.shown, shown.table == number {
            (list.own, list.drillColumns) = (shown.query, shown.drillColumns)
        }
        return list
    }

    func rowsBelow(_ number: Int, record: Record) throws(DatabaseError) -> RowsBelow {
        record.position == nil ? try rowsBelow(number, identity: record.identity) : RowsBelow()
    }

    private func rowsBelow(_ number: Int, identity: RecordIdentity) throws(DatabaseError) -> RowsBelow {
        let table = try catalogue.tables[number]
        var rows = RowsBelow()
        rows.records = try table.tree.map { key throws(DatabaseError) in try list(of: key, to: identity) }
        for (key, name) in zip(table.referring, table.referringNames) {
            let free = try freeKey(name.key, among: table.referringNames.map(\.key), and: rows.records)
            rows.lists.append(
                NamedList(title: name.title, key: free, table: key.child, list: try list(of: key, to: identity)))
        }
        rows.records?.following = rows.lists
        return rows
    }

    /// Returns a key for a named list that follows records. If a record already has the wanted key, adds `~` and a
    /// number to the key.
    private func freeKey(
        _ key: [UInt8], among others: [[UInt8]], and records: RecordList?
    ) throws(DatabaseError) -> [UInt8] {
        guard let records else { return key }
        let reader = RecordReader(list: records, showing: { _ in false }, limit: 0)
        var isTaken = false
        try read(key, in: records, reader: reader) { (_, _) throws(DatabaseError) in isTaken = true }
        guard isTaken else { return key }
        // The key of a record contains '~2' to '~9' only at its beginning or after a comma, so no record has the new
        // key.
        var number = 2
        while others.contains(key + Array("~\(number)".utf8)) { number += 1 }
        return key + Array("~\(number)".utf8)
    }

    /// Returns the number of rows below a row of a page.
    func count(_ below: PageRows.Below) throws(DatabaseError) -> RecordCount {
        switch below {
        case .list(let list): return try count(list)
        case .record(let table, let identity):
            guard let tree = table.tree else { return RecordCount(number: table.referring.count, isEstimate: false) }
            let records = try count(list(of: tree, to: identity))
            return RecordCount(number: records.number + table.referring.count, isEstimate: records.isEstimate)
        }
    }

    /// Returns the keys of the shortest path to a record. Returns nil if no path leads to the record, or if every path
    /// leads through another table or the values of drill columns.
    ///
    /// - Parameters:
    ///   - number: the number of the record's table.
    ///   - key: the record's key.
    func path(
        to number: Int, identity: RecordIdentity, key: [UInt8]
    ) throws(DatabaseError) -> [[UInt8]]? {
        let catalogue = try catalogue
        let table = catalogue.tables[number]
        let isElsewhere = catalogue.shown.map { $0.table != number || !$0.drillColumns.isEmpty } ?? false
        guard !isElsewhere else { return nil }
        var keys = [key]
        var place = identity
        if let tree = table.tree {
            while let above = try target(of: tree, from: place) {
                keys.append(above.key)
                place = above.identity
                // At this depth, the references form a circle, or the tree is too deep.
                guard keys.count < TreeLimits().depth else { return nil }
            }
            let first = try list(ofTable: number)
            let found = try database.connection.first(
                "SELECT 1 \(first.records(where: [place.condition(of: "c")])) LIMIT 1")
            guard found != nil else { return nil }
        } else if try !meetsOwnConditions(key, in: list(ofTable: number)) {
            return nil
        }
        let above = rows.prefix.dropFirst().map { Array($0.level.key($0.row).utf8) }
        return above + (catalogue.shown == nil ? [catalogue.keys[number]] : []) + keys.reversed()
    }

    /// A record to which another record refers.
    struct Target {
        let key, title: [UInt8]
        let identity: RecordIdentity
    }

    /// Returns the record to which a record refers by a foreign key; nil if the reference is NULL, the referenced
    /// record is missing, or only its position identifies it.
    func target(of key: ForeignKey, from identity: RecordIdentity) throws(DatabaseError) -> Target? {
        let catalogue = try catalogue
        let (table, parent) = (catalogue.tables[key.child], catalogue.tables[key.parent])
        guard !parent.isPositional else { return nil }
        let reader = RecordReader(table: parent, showing: { _ in false }, limit: 0)
        var found: Target?
        try database.connection.rows(
            """
            SELECT \(reader.columns) FROM \(table.source) AS r \(table.dialect.joining) \(parent.source) AS c
              ON \(key.condition(joining: "r", of: table, to: "c", of: parent)) WHERE \(identity.condition(of: "r"))
            """
        ) { (statement) throws(DatabaseError) in
            let text = try self.key(statement, reader: reader)
            found = Target(
                key: text, title: reader.title(statement, key: text.span), identity: reader.identity(statement))
        }
        return found
    }
}
