internal import DatabaseTrees
internal import Levels
internal import PropertyLists
public import TreeSources

/// The tables of a database below an item of a document.
final class TableItem: DatabaseRows {
    let level: Level
    private let place: TablesPlace
    private let rows: TableRows

    fileprivate init(_ place: TablesPlace, options: TableOptions) throws(DatabaseError) {
        self.place = place
        rows = TableRows(place, options: options)
        let reading = try TableReading(rows: rows)
        defer { reading.end() }
        level = .elsewhere(count: try reading.countAtStart())
    }

    func rows(below item: Item) -> any RowSource {
        var rows = rows
        rows.prefix = item.steps
        return rows
    }

    func makeWatcher() -> any CommitWatcher { place.makeCommits(rows.options) }
}

extension TableRows {
    /// Returns the function that opens the databases to which items of documents refer.
    public static func opener(_ options: Options) -> Interpretation.DatabaseOpener {
        { (path, address, reference) throws(SourceError) in
            var options = options
            options.reference = reference
            let place = if let path { TablesPlace.file(path) } else { try server(address, among: options.hosts) }
            do throws(DatabaseError) {
                return try TableItem(place, options: options)
            } catch {
                throw SourceError(address, reason: error.reason)
            }
        }
    }

    /// Returns the place of a PostgreSQL database whose address is in a document.
    ///
    /// - Throws: `SourceError` if the address is not valid, has parameters that only the operator may give, or names no
    ///   host or a host that the operator has not allowed.
    private static func server(_ address: String, among hosts: [String]) throws(SourceError) -> TablesPlace {
        let database = try PostgresDatabase(address, passwordFile: nil)
        let shown = database.address.shown
        // Other parameters may name a service or a file with secrets, so only the operator may give them.
        if let name = database.address.unusual(besides: ["host", "port", "user", "dbname", "sslmode", "options"]) {
            throw SourceError(shown, reason: "a document cannot give the parameter '\(quoted: name)'")
        }
        let named = database.address.hosts
        guard !named.isEmpty else {
            throw SourceError(shown, reason: "the address names no host; write postgres://USER@HOST/DATABASE")
        }
        if let other = named.first(where: { !hosts.contains($0) }) {
            throw SourceError(
                shown,
                reason:
                    "the host '\(quoted: other)' is not one that --databases names; add it there to let documents read its databases"
            )
        }
        return .postgres(database)
    }
}

extension TableReading {
    /// Returns the approximate number of rows below the item, regardless of the item's conditions and drill columns.
    /// Returns 1 for a query, because the query is not run.
    ///
    /// - Throws: `DatabaseError` if the item's reference does not fit the database.
    fileprivate func countAtStart() throws(DatabaseError) -> Int {
        if let refusal = try catalogue.refusal { throw DatabaseError(kind: .other, reason: refusal) }
        guard let shown = try catalogue.shown else { return try catalogue.tables.count }
        let list = RecordList(try catalogue.tables[shown.table])
        return rows.options.reference?.query == nil ? try database.count(list, upTo: 10_000).number : 1
    }
}
