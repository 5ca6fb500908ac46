internal import DatabaseTrees
internal import Files
public import Levels
internal import PropertyLists
internal import Threads
public import TreeSources

/// A source that shows the tables of a SQLite file as levels, and reads the records for each answer.
public struct DatabaseTables: TreeSource {
    public let name: String
    /// The SQLite file.
    public let path: String
    private let options: TableRows.Options
    /// The longest time that a watcher's first load waits for a database that is missing or locked.
    private let patience: Duration

    /// Creates a source of the tables of a SQLite file.
    ///
    /// - Parameters:
    ///   - name: the address of the source as the user gave it.
    ///   - patience: the longest time that a watcher's first load waits for a file that is missing or locked.
    public init(sqlite path: String, name: String, options: TableRows.Options, patience: Duration = .zero) {
        (self.path, self.name, self.options, self.patience) = (path, name, options, patience)
    }

    /// Returns whether a file is a SQLite database without a tree of this program; false if it cannot be read.
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

    /// The time limit for reading the catalogue and finding the warnings.
    private static let longestStart = Duration.seconds(60)

    /// Returns a tree that has only the root; `LoadedTree.rows` answers requests in its place.
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
