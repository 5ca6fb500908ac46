internal import DatabaseTrees
internal import Levels

/// The paths to records.
struct RecordPaths {
    let database: OpenDatabase
    /// The keys of the item of a document that shows the database; empty if the database itself is the source.
    let prefix: [[UInt8]]

    /// Returns the keys of the shortest path to a record. Returns nil if no path leads to the record, or if every path
    /// leads through another table or the values of drill columns.
    ///
    /// - Parameter key: the record's key.
    func path(to identity: RecordIdentity, key: [UInt8], in table: Table) throws(DatabaseError) -> [[UInt8]]? {
        let catalogue = database.catalogue
        let isElsewhere = catalogue.shown.map { $0.table != table.number || !$0.drillColumns.isEmpty } ?? false
        guard !isElsewhere else { return nil }
        var keys = [key]
        var place = identity
        let first = catalogue.list(ofTable: table.number)
        if let tree = table.tree {
            while let above = try target(of: tree, from: place) {
                keys.append(above.key)
                place = above.identity
                // At this depth, the references form a circle, or the tree is too deep.
                guard keys.count < TreeLimits().depth else { return nil }
            }
            let found = try database.connection.first(
                "SELECT 1 \(first.records(where: [place.condition(of: "c")])) LIMIT 1")
            guard found != nil else { return nil }
        } else if try !RecordLookup(list: first, database: database).meetsOwnConditions(key) {
            return nil
        }
        return prefix + (catalogue.shown == nil ? [catalogue.keys[table.number]] : []) + keys.reversed()
    }

    /// A record to which another record refers.
    private struct Target {
        let key, title: [UInt8]
        let identity: RecordIdentity
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
        ) { (statement) throws(DatabaseError) in
            let text = try reader.key(statement, in: database)
            found = Target(
                key: text, title: reader.title(statement, key: text.span), identity: reader.identity(statement))
        }
        return found
    }

    /// Returns links to the records to which a record refers, one for each name of a foreign key.
    func references(of identity: RecordIdentity, in table: Table) throws(DatabaseError) -> [RecordLinks.Link] {
        var links: [RecordLinks.Link] = []
        for key in table.references {
            let name = Catalogue.name(of: key, in: table)
            guard !links.contains(where: { $0.name == name }),
                let target = try target(of: key, from: identity),
                let path = try path(
                    to: target.identity, key: target.key, in: database.catalogue.tables[key.parent])
            else { continue }
            links.append(RecordLinks.Link(name: name, title: target.title, path: path))
        }
        return links
    }
}
