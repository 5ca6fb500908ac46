internal import DatabaseTrees
internal import Levels
internal import PropertyLists
public import TreeSources

/// The tables of a SQLite file below an item of a document.
final class TableItem: DatabaseRows {
    let level: Level
    private let path: String
    private let rows: TableRows

    fileprivate init(path: String, options: TableOptions) throws(DatabaseError) {
        self.path = path
        rows = TableRows(path: path, options: options)
        let reading = try TableReading(rows: rows)
        defer { reading.end() }
        level = .elsewhere(count: try reading.countAtStart())
    }

    func rows(below item: Item) -> any RowSource {
        var rows = rows
        rows.prefix = item.steps
        return rows
    }

    func makeWatcher() -> any CommitWatcher { SQLiteCommits(path: path, rows: rows) }
}

extension TableRows {
    /// Returns the function that opens the databases to which items of documents refer.
    public static func opener(_ options: Options) -> Interpretation.DatabaseOpener {
        { (path, name, reference) throws(SourceError) in
            var options = options
            options.reference = reference
            do throws(DatabaseError) {
                return try TableItem(path: path, options: options)
            } catch {
                throw SourceError(name, reason: error.reason)
            }
        }
    }
}

extension TableReading {
    /// Returns the approximate number of rows below the item, without its conditions and drill columns; 1 for a query,
    /// which is not run.
    ///
    /// - Throws: `DatabaseError` if the item's reference does not fit the database.
    fileprivate func countAtStart() throws(DatabaseError) -> Int {
        if let refusal = try catalogue.refusal { throw DatabaseError(kind: .other, reason: refusal) }
        guard let shown = try catalogue.shown else { return try catalogue.tables.count }
        let list = RecordList(try catalogue.tables[shown.table])
        return rows.options.reference?.query == nil ? try database.count(list, upTo: 10_000).number : 1
    }
}
