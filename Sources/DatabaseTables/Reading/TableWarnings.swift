internal import DatabaseTrees
internal import Levels
internal import PropertyLists

extension OpenDatabase {
    private static let mostWarnings = 100

    /// Returns warnings about tables that cannot be read, tables without a key, and foreign keys without an index.
    func warnings() throws(DatabaseError) -> [DocumentWarning] {
        var found = catalogue.unreadable.prefix(Self.mostWarnings).map { name, reason in
            DocumentWarning(
                position: nil, path: "/\(name)", message: "the database cannot read it, so it is left out: \(reason)")
        }
        for table in catalogue.tables where found.count < Self.mostWarnings {
            func warn(_ message: String) {
                found.append(DocumentWarning(position: nil, path: "/\(table.name)", message: message))
            }
            if table.isPositional {
                warn("the table has no key, so only its first records are shown; give it a primary key")
            } else if table.key.isEmpty {
                warn(
                    "the table has no key, so its rowid names its records, which VACUUM may change; give it a primary key"
                )
            }
            let indexes = table.references.isEmpty ? [] : try connection.indexes(of: table) + [table.key]
            for key in table.references
            where !indexes.contains(where: { Set($0.prefix(key.columns.count)) == Set(key.columns) }) {
                let parent = catalogue.tables[key.parent]
                let columns = key.columns.map { Identifier.quoted(table.columns[$0].name) }.joined(separator: ", ")
                let name = ([table.name] + key.columns.map { table.columns[$0].name }).joined(separator: "_")
                warn(
                    "no index finds the records that refer to a record of '\(quoted: parent.name)'; create one with CREATE INDEX \(Identifier.quoted(name)) ON \(Identifier.shown(table.quoted, in: table.dialect)) (\(columns))"
                )
            }
        }
        return found
    }
}
