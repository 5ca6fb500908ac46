internal import DatabaseTrees
internal import Levels

/// The paths to records.
struct RecordPaths {
    let database: OpenDatabase

    /// Returns the keys of the shortest path to a record. Returns nil if no path leads to the record, or if every path
    /// leads through another table or the values of drill columns.
    ///
    /// - Parameters:
    ///   - identity: nil if the key alone leads to the record, because all records of the database are shown by tables.
    ///   - key: the record's key.
    func path(to identity: RecordIdentity?, key: [UInt8], in table: Table) throws(DatabaseError) -> [[UInt8]]? {
        let catalogue = database.catalogue
        if catalogue.shown == nil, table.tree == nil { return database.prefix + [catalogue.keys[table.number], key] }
        let isElsewhere = catalogue.shown.map { $0.table != table.number || !$0.drillColumns.isEmpty } ?? false
        guard !isElsewhere else { return nil }
        var keys = [key]
        if let tree = table.tree, var place = identity {
            while let above = try target(of: tree, from: place), let next = above.identity {
                keys.append(above.key)
                place = next
                // At this depth, the references form a circle, or the tree is too deep.
                guard keys.count < TreeLimits().depth else { return nil }
            }
            let first = catalogue.list(ofTable: table.number)
            let found = try database.connection.first(
                "SELECT 1 \(first.records(where: [place.condition(of: "c")])) LIMIT 1")
            guard found != nil else { return nil }
        } else if catalogue.shown != nil,
            try !RecordLookup(list: catalogue.list(ofTable: table.number), database: database).meetsOwnConditions(key)
        {
            return nil
        }
        return database.prefix + (catalogue.shown == nil ? [catalogue.keys[table.number]] : []) + keys.reversed()
    }

    /// A record to which another record refers.
    private struct Target {
        let key, title: [UInt8]
        /// Nil if the key alone leads to the record.
        let identity: RecordIdentity?

        init(_ row: ResultRow, _ reader: RecordReader, in database: OpenDatabase) throws(DatabaseError) {
            let text = try reader.key(row, in: database)
            (key, title) = (text, reader.title(row, key: text.span))
            identity = reader.isTree || database.catalogue.shown != nil ? reader.identity(row) : nil
        }
    }

    /// Returns the record to which a record refers by a foreign key; nil if the reference is NULL, the referenced
    /// record is missing, or only its position identifies it.
    private func target(of key: ForeignKey, from identity: RecordIdentity) throws(DatabaseError) -> Target? {
        let catalogue = database.catalogue
        let (table, parent) = (catalogue.tables[key.child], catalogue.tables[key.parent])
        guard !parent.isPositional else { return nil }
        let reader = RecordReader(table: parent, showing: { _ in false }, limit: 0)
        var found: Target?
        try database.connection.rows(
            """
            SELECT \(reader.columns) FROM \(table.source) AS r \(table.dialect.joining) \(parent.source) AS c
              ON \(key.condition(joining: "r", of: table, to: "c", of: parent)) WHERE \(identity.condition(of: "r"))
            """
        ) { (row) throws(DatabaseError) in found = try Target(row, reader, in: database) }
        return found
    }

    private func link(named name: String, to target: Target, in table: Table) throws(DatabaseError) -> RecordLinks.Link?
    {
        guard let path = try path(to: target.identity, key: target.key, in: table) else { return nil }
        return RecordLinks.Link(name: name, title: target.title, path: path)
    }

    /// Returns links to the records to which a record refers, one for each name of a foreign key.
    func references(of identity: RecordIdentity, in table: Table) throws(DatabaseError) -> [RecordLinks.Link] {
        var links: [RecordLinks.Link] = []
        for key in table.references {
            let name = Catalogue.name(of: key, in: table)
            guard !links.contains(where: { $0.name == name }), let target = try target(of: key, from: identity),
                let link = try link(named: name, to: target, in: database.catalogue.tables[key.parent])
            else { continue }
            links.append(link)
        }
        return links
    }

    // MARK: Pages

    /// Returns the records to which the rows of a page refer. One statement finds the records for many rows.
    ///
    /// - Parameters:
    ///   - rows: the rows, with the values by which they refer.
    ///   - level: all rows of the page.
    func references(of rows: ReferringRows, in level: Level, of table: Table) throws(DatabaseError) -> RowReferences {
        var references = RowReferences()
        let names = rows.keys.map { Catalogue.name(of: $0, in: table) }
        let isRepeated = names.indices.map { names[..<$0].contains(names[$0]) }
        // For each foreign key, the numbers of the records to which its values lead.
        var found: [[Int?]?] = []
        for (place, key) in rows.keys.enumerated() {
            found.append(try add(key, named: names[place], number: place, of: rows, to: &references))
        }
        for index in rows.numbers.indices {
            let row = rows.numbers[index]
            for (place, key) in rows.keys.enumerated() {
                guard let value = rows.index(ofRow: index, by: place),
                    !isRepeated[place]
                        || !references.links(ofRow: row).contains(where: { $0.name == names[place] })
                else { continue }
                if let found = found[place] {
                    // A record that was not found is missing.
                    if let number = found[value] { references.note(number, ofRow: row) }
                } else if let identity = try identity(ofRecord: Array(level.key(row).utf8), in: table),
                    let target = try target(of: key, from: identity),
                    let link = try link(named: names[place], to: target, in: database.catalogue.tables[key.parent])
                {
                    references.note(references.add(link), ofRow: row)
                }
            }
        }
        return references
    }

    /// Adds the records to which the rows refer by one foreign key. Returns the number of the record for each value; nil if
    /// equal values do not settle which record that is.
    private func add(
        _ key: ForeignKey, named name: String, number: Int, of rows: ReferringRows, to references: inout RowReferences
    ) throws(DatabaseError) -> [Int?]? {
        guard let targets = try targets(with: rows.values[number], by: key) else { return nil }
        let parent = database.catalogue.tables[key.parent]
        var found = [Int?](repeating: nil, count: rows.values[number].count)
        for (value, target) in targets {
            guard let index = rows.index(of: value, by: number),
                let link = try link(named: name, to: target, in: parent)
            else { continue }
            found[index] = references.add(link)
        }
        return found
    }

    private func identity(ofRecord key: [UInt8], in table: Table) throws(DatabaseError) -> RecordIdentity? {
        let list = RecordList(table)
        let reader = RecordReader(list: list, showing: { _ in false }, limit: 0)
        var found: RecordIdentity?
        try RecordLookup(list: list, database: database).read(key, reader) { (row) throws(DatabaseError) in
            found = reader.identity(row)
        }
        return found
    }

    /// Returns the records with some values in the column to which a foreign key refers; nil if equal values do not settle
    /// which record that is.
    private func targets(
        with values: [DatabaseValue], by key: ForeignKey
    ) throws(DatabaseError) -> [(value: DatabaseValue, target: Target)]? {
        let parent = database.catalogue.tables[key.parent]
        guard !parent.isPositional else { return [] }
        guard key.comparesEqualValues(of: database.catalogue.tables[key.child], to: parent) else { return nil }
        let column = parent.term(key.targets[0], isDescending: false)
        let reader = RecordReader(table: parent, ordered: [column], showing: { _ in false }, limit: 0)
        var targets: [(value: DatabaseValue, target: Target)] = []
        for condition in column.sql.conditions(thatOneOf: values) {
            try database.connection.rows("SELECT \(reader.columns) FROM \(parent.source) AS c WHERE \(condition)") {
                (row) throws(DatabaseError) in
                targets.append((reader.terms(row)[0], try Target(row, reader, in: database)))
            }
        }
        return targets
    }

    /// Gives the sections of a list that is grouped by a foreign key the titles of the records to which their rows refer.
    func label(
        _ sections: [Section], of grouping: RowGrouping?, in table: Table
    ) throws(DatabaseError) -> [Section] {
        guard case .field(let field) = grouping, let column = table.column(of: field), !sections.isEmpty,
            let key = table.references.first(where: { $0.columns == [column] })
        else { return sections }
        let isInteger =
            table.columns[column].type.map { $0.kind == .integer } ?? (table.columns[column].affinity == .integer)
        let values = sections.map { section -> DatabaseValue in
            guard let title = section.title else { return .null }
            return isInteger ? Int64(title).map { .integer($0) } ?? .null : .text(Array(title.utf8))
        }
        guard let found = try targets(with: values.filter { $0 != .null }, by: key) else { return sections }
        let titles = Dictionary(found.map { ($0.value, $0.target.title) }) { first, _ in first }
        return zip(sections, values).map { section, value in
            var section = section
            if let title = titles[value] { section.title = String(decoding: title, as: UTF8.self) }
            return section
        }
    }
}
