internal import DatabaseTrees
internal import Files
public import Levels
internal import PropertyLists
internal import Threads
public import TreeSources

/// A source that shows the tables of a database as levels, and reads the records for each answer.
public struct DatabaseTables: TreeSource {
    public let name: String
    private let place: TablesPlace
    private let options: TableRows.Options
    /// Whether to refuse a database that also contains a tree.
    private let refusesTrees: Bool
    /// The maximum time for which the first load of a watcher waits for a database that is locked or cannot be reached.
    private let patience: Duration

    /// Creates a source of the tables of a SQLite file.
    ///
    /// - Parameters:
    ///   - name: the address of the source as the user gave it.
    ///   - patience: the maximum time for which the first load of a watcher waits for a file that is missing or locked.
    public init(sqlite path: String, name: String, options: TableRows.Options, patience: Duration = .zero) {
        (place, self.name, self.options, self.patience) = (.file(path), name, options, patience)
        refusesTrees = false
    }

    /// Creates a source of the tables of a PostgreSQL database.
    ///
    /// - Parameters:
    ///   - address: `postgres://[USER@]HOST[:PORT]/DATABASE`.
    ///   - passwordFile: the file with the password of the role; nil to let libpq find the password.
    ///   - refusesTrees: whether to refuse a database that contains a tree, because the user may have meant the tree.
    ///   - patience: the maximum time for which the first load of a watcher waits for a database that cannot be
    ///     reached.
    /// - Throws: `SourceError` if the address is not valid, or the password file cannot be read.
    public init(
        postgres address: String, passwordFile: String?, options: TableRows.Options, refusesTrees: Bool = false,
        patience: Duration = .zero
    ) throws(SourceError) {
        let database = try PostgresDatabase(address, passwordFile: passwordFile)
        (place, name, self.options) = (.postgres(database), database.address.shown, options)
        (self.refusesTrees, self.patience) = (refusesTrees, patience)
    }

    /// The SQLite file; nil for a database in PostgreSQL.
    public var path: String? { if case .file(let path) = place { path } else { nil } }

    /// Returns whether a file is a SQLite database that does not contain a tree of this program; false if the file
    /// cannot be read.
    public static func areTables(path: String) -> Bool {
        guard SQLiteConnection.isDatabase(path) else { return false }
        do throws(DatabaseError) {
            return try !SQLiteConnection(path: path, for: .read).holdsTree
        } catch {
            return false
        }
    }

    public func makeWatcher() -> any SourceWatcher {
        TablesWatcher(source: self, place: place, rows: TableRows(place, options: options), patience: patience)
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try load(TableRows(place, options: options), patience: .zero)
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
        if refusesTrees, let tree = try (database.connection as? PostgresTables)?.trees().first {
            throw DatabaseError(
                kind: .other,
                reason:
                    "the database has the tree '\(tree)'; add ?tree=\(tree) to the address, or --shape tables for its tables"
            )
        }
        if let refusal = database.catalogue.refusal { throw DatabaseError(kind: .other, reason: refusal) }
        var loaded = LoadedTree(
            tree: try root(rows), warnings: try database.warnings().map { SourceWarning(name, warning: $0) })
        loaded.tree.reading = database.catalogue.reading
        loaded.rows = rows
        return loaded
    }

    /// The time limit for reading the catalogue and finding the warnings.
    private static let longestStart = Duration.seconds(60)

    /// Returns a tree that has only a root. `LoadedTree.rows` answers the requests instead of this tree.
    private func root(_ rows: TableRows) throws(DatabaseError) -> Tree {
        let title = PropertyListValue.string(String(decoding: rows.title, as: UTF8.self))
        var walk = PropertyListValueWalk(
            .dictionary(.init([.init(key: "Title", value: title), .init(key: "Rows", value: .array([]))])))
        var builder = TreeBuilder()
        do throws(PropertyListError) {
            try walk.finish(to: &builder)
            return try builder.finish()
        } catch {
            throw DatabaseError(kind: .other, reason: error.reason)
        }
    }
}
