internal import DatabaseTrees
internal import Levels

/// A connection to a database whose tables are read.
///
/// Statements use the dialect of the database. `OpenDatabase`, not the connection, keeps the results for the present
/// state.
protocol TableConnection: AnyObject {
    /// Whether the connection is open, and still leads to the database at the address.
    var isCurrent: Bool { get }

    /// Begins to read one state of the database.
    ///
    /// - Parameters:
    ///   - deadline: the time at which running statements are interrupted.
    ///   - isWanted: returns whether the answer is still wanted. If not, running statements are interrupted, too.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) throws(DatabaseError) -> DatabaseState

    /// Ends reading the state; does nothing before `begin`.
    func end()

    /// Reads the tables in the present state. Frees the statements that the connection has prepared so far.
    func readCatalogue(_ options: TableOptions) throws(DatabaseError) -> Catalogue

    /// Calls a closure for each row of a query.
    func rows(_ sql: SQL, _ body: (ResultRow) throws(DatabaseError) -> Void) throws(DatabaseError)

    /// Returns the plan of a statement for any values.
    ///
    /// - Parameter combinesIndexes: whether the plan may combine several indexes, which give no order.
    func plan(of sql: SQL, combinesIndexes: Bool) throws(DatabaseError) -> StatementPlan

    /// Runs statements that may take long, wait for a lock or fail. The result is nil if the statements exceed a short
    /// time limit, if a table is locked, or if the database refuses the statements.
    ///
    /// - Parameter limit: the time limit. Without it, only the wait for a lock is short.
    func briefly<Result>(
        within limit: Duration?, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result?

    /// Returns the approximate number of records in a large table.
    func estimate(_ table: Table) throws(DatabaseError) -> Int

    /// Returns the columns of each index of a table, except partial indexes and indexes with expressions.
    func indexes(of table: Table) throws(DatabaseError) -> [[Int]]

    /// Returns whether a table, an index or a view of this name is in the schema of a table.
    func hasRelation(named name: String, beside table: Table) throws(DatabaseError) -> Bool
}

extension TableConnection {
    /// Returns the first row of a query; nil without rows.
    func first(_ sql: SQL) throws(DatabaseError) -> [DatabaseValue]? {
        var found: [DatabaseValue]?
        try rows(sql) { (row) throws(DatabaseError) in if found == nil { found = row.values } }
        return found
    }
}

/// The versions of the schema and of the whole content. Each version differs after a change.
struct DatabaseState {
    var schema: DatabaseValue = .null
    var data: DatabaseValue = .null
}

/// The plan of a database for a statement about the table `c`.
struct StatementPlan {
    /// Whether the statement finds the records by a seek in an index.
    let isSought: Bool
    /// Whether the statement sorts records.
    let isSorted: Bool
}

/// The present row of a statement.
enum ResultRow {
    case sqlite(SQLiteStatement)
    case postgres(PostgresRow)

    /// Returns the value of a column, in a form that can be a parameter of other statements.
    func value(_ column: Int32) -> DatabaseValue {
        switch self {
        case .sqlite(let statement): statement.value(column)
        case .postgres(let row): row.value(Int(column))
        }
    }

    fileprivate var values: [DatabaseValue] {
        switch self {
        case .sqlite(let statement): statement.row
        case .postgres(let row): row.values
        }
    }
}

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
