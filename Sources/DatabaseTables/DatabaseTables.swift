internal import DatabaseTrees
internal import Files
public import Levels
internal import PropertyLists
internal import Threads
public import TreeSources

/// The tables of a database as a source: nothing of them is held in memory.
public struct DatabaseTables: TreeSource {
    public let name: String
    /// The SQLite file.
    public let path: String
    private let options: TableRows.Options
    /// How long the first load waits for a database that is away.
    private let patience: Duration

    /// The tables of a SQLite file.
    ///
    /// - Parameters:
    ///   - name: how the user named it.
    ///   - patience: how long a watcher's first load waits for it.
    public init(sqlite path: String, name: String, options: TableRows.Options, patience: Duration = .zero) {
        (self.path, self.name, self.options, self.patience) = (path, name, options, patience)
    }

    /// Whether a file is a SQLite database of another program, so that it has tables and no tree.
    public static func areTables(path: String) -> Bool {
        guard SQLiteConnection.isDatabase(path) else { return false }
        do throws(DatabaseError) {
            return try !SQLiteConnection(path: path, for: .read).holdsTree
        } catch {
            return false
        }
    }

    public func makeWatcher() -> any SourceWatcher {
        TablesWatcher(source: self, path: path, rows: TableRows(path: path, options: options), patience: patience)
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try load(TableRows(path: path, options: options), patience: .zero)
    }

    func load(_ rows: TableRows, patience: Duration) throws(SourceError) -> LoadedTree {
        do throws(DatabaseError) {
            return try waiting(patience) { () throws(DatabaseError) in try loaded(rows) }
        } catch {
            throw SourceError(name, reason: error.reason)
        }
    }

    private func loaded(_ rows: TableRows) throws(DatabaseError) -> LoadedTree {
        let database = try rows.pool.take()
        defer { rows.pool.giveBack(database) }
        try database.begin(until: .now + Self.longestStart)
        if let refusal = database.catalogue.refusal { throw DatabaseError(kind: .other, reason: refusal) }
        var loaded = LoadedTree(
            tree: try root(rows), warnings: try database.warnings().map { SourceWarning(name, warning: $0) })
        loaded.rows = rows
        return loaded
    }

    /// The longest that the catalogue of a database may take.
    private static let longestStart = Duration.seconds(60)

    /// A tree that is only the root.
    private func root(_ rows: TableRows) throws(DatabaseError) -> Tree {
        let nowhere = SourcePosition.byte(offset: 0)
        var builder = TreeBuilder()
        do throws(PropertyListError) {
            try builder.beginDictionary(at: nowhere)
            try builder.key("Title".utf8Span.span, at: nowhere)
            try builder.string(rows.title.span, at: nowhere)
            try builder.key("Rows".utf8Span.span, at: nowhere)
            try builder.beginArray(at: nowhere)
            try builder.endArray()
            try builder.endDictionary()
            return try builder.finish()
        } catch {
            throw DatabaseError(kind: .other, reason: error.reason)
        }
    }
}
