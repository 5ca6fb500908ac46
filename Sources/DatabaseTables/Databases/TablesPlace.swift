internal import DatabaseTrees
internal import Levels

/// The location of a database with tables.
enum TablesPlace: Sendable {
    /// A SQLite file.
    case file(String)
    case postgres(PostgresDatabase)

    /// Returns a closure that connects to the database. All connections from one closure give a state the same version.
    func connector(_ options: TableOptions) -> @Sendable () throws(DatabaseError) -> any TableConnection {
        switch self {
        case .file(let path):
            let clock = StateClock(path: path)
            return { () throws(DatabaseError) in try SQLiteTables(path: path, options: options, clock: clock) }
        case .postgres(let database):
            return { () throws(DatabaseError) in try PostgresTables(database, options: options) }
        }
    }

    /// The title of the level of all tables.
    var title: [UInt8] {
        switch self {
        case .file(let path):
            Array((path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]).utf8)
        case .postgres(let database): Array(database.address.database.utf8)
        }
    }

    /// Makes a watcher that notices every commit from now on.
    func makeCommits(_ options: TableOptions) -> any TableCommits {
        switch self {
        case .file(let path): SQLiteCommits(path: path, options: options)
        case .postgres(let database): PostgresCommits(database, options: options)
        }
    }
}
