internal import DatabaseTrees
public import Levels
internal import PropertyLists

/// What the service knows of a table of a database.
public struct TableOverview: Sendable, Equatable {
    public let name: String
    /// The number of records, such as `3503`; with `~` before an estimate.
    public let count: String
    /// The names of the key's columns; empty if the rowid or the position identifies a record.
    public let key: [String]
    /// The names of the fields that are the title of a record; empty if its key is.
    public let title: [String]
    /// The foreign keys with the tables to which they refer, such as `AlbumId → Album`.
    public let references: [String]
    /// The columns by which the table can be neither sorted nor filtered, because it is large and no index begins with them.
    public let unindexed: [String]

    init(_ table: Table, in database: OpenDatabase) throws(DatabaseError) {
        let catalogue = database.catalogue
        name = table.name
        let found = try database.briefCount(RecordList(table))
        count = (found.isEstimate ? "~" : "") + "\(found.number)"
        key = table.key.map { table.columns[$0].name }
        title = table.titleNames
        references = table.references.map {
            "\(Catalogue.name(of: $0, in: table)) → \(catalogue.tables[$0.parent].name)"
        }
        guard found.number > database.options.arrangedRows, table.isIndexable else {
            unindexed = []
            return
        }
        let indexed = Set((try database.connection.indexes(of: table) + [table.key]).compactMap(\.first))
        unindexed = table.columns.indices.filter { !indexed.contains($0) && table.columns[$0].isOrdered }
            .map { table.columns[$0].name }
    }
}

extension TableRows {
    /// Returns what is known of each table, in the order of their names.
    ///
    /// - Throws: `RowRefusal` if the database cannot be read.
    public func overview() throws(RowRefusal) -> [TableOverview] {
        do throws(DatabaseError) {
            let reading = try TableReading(rows: self)
            defer { reading.end() }
            var found: [TableOverview] = []
            for table in try reading.catalogue.tables {
                found.append(try TableOverview(table, in: try reading.database))
            }
            return found
        } catch {
            throw RowRefusal(error)
        }
    }
}

extension Catalogue {
    private static let mostNamed = 10

    /// A sentence about the titles of the first tables; nil without tables.
    var reading: String? {
        guard !tables.isEmpty else { return nil }
        let named = tables.prefix(Self.mostNamed).map { table in
            let names = table.titleNames.map { "'\(quoted: $0)'" }.joined(separator: " and ")
            return "'\(quoted: table.name)' by \(names.isEmpty ? "its key" : names)"
        }
        let more = tables.count - named.count
        return "titles of the tables: " + named.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
    }
}

extension Table {
    /// The names of the fields that are the title of a record, such as `Name` or `AlbumId.title`.
    fileprivate var titleNames: [String] {
        var names: [String] = []
        for part in title.parts {
            let label = part.reference.map { "\(Catalogue.name(of: $0, in: self)).title" }
            let name = part.column.map { columns[$0].name } ?? label ?? ""
            if names.last != name { names.append(name) }
        }
        return names
    }
}
