internal import DatabaseTrees

/// A connection to a database whose tables are read.
///
/// Statements are in the dialect of the database, and have `?` for each value. `OpenDatabase` keeps results for the
/// present state.
protocol TableConnection: AnyObject {
    /// Whether it is open, and leads to the database to which the address leads now.
    var isCurrent: Bool { get }

    /// Begins to read one state of the database.
    ///
    /// - Parameters:
    ///   - deadline: the time at which its statements are interrupted.
    ///   - isWanted: whether the answer is still wanted; otherwise its statements are interrupted, too.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) throws(DatabaseError) -> DatabaseState

    /// Ends reading the state; does nothing before `begin`.
    func end()

    /// Reads the tables in the present state, and frees the statements that were prepared before.
    func readCatalogue(_ options: TableOptions) throws(DatabaseError) -> Catalogue

    /// Returns the first row of a query; nil without rows.
    func first(_ sql: String, _ values: [SQLiteValue]) throws(DatabaseError) -> [SQLiteValue]?

    /// Calls a closure for each row of a query.
    func rows(
        _ sql: String, _ values: [SQLiteValue], _ body: (ResultRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError)

    /// Returns the plan of a statement.
    func plan(of sql: String) throws(DatabaseError) -> StatementPlan

    /// Runs statements that may take long or fail; the result is nil if they exceed a short time or are refused.
    func briefly<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result?

    /// Returns the approximate number of records in a large table.
    func estimate(_ table: Table) throws(DatabaseError) -> Int

    /// Returns the columns of each index of a table, except partial indexes and indexes with expressions.
    func indexes(of table: Table) throws(DatabaseError) -> [[Int]]
}

/// The versions of the schema and of the whole content; each differs after a change.
struct DatabaseState {
    var schema: SQLiteValue = .null
    var data: SQLiteValue = .null
}

/// The plan of a database for a statement about the table `c`.
struct StatementPlan {
    /// Whether it finds the records by a seek in an index.
    let isSought: Bool
    /// Whether it sorts records.
    let isSorted: Bool
}

/// The present row of a statement.
enum ResultRow {
    case sqlite(SQLiteStatement)
    case postgres(PostgresRow)

    /// Returns the value of a column, in a form that can be a parameter of other statements.
    func value(_ column: Int32) -> SQLiteValue {
        switch self {
        case .sqlite(let statement): statement.value(column)
        case .postgres(let row): row.value(Int(column))
        }
    }
}
