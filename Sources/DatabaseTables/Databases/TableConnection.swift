internal import DatabaseTrees

/// A connection to a database whose tables are read, in the dialect of its statements.
///
/// Statements have `?` for each value. `OpenDatabase` holds what is known about the present state.
protocol TableConnection: AnyObject {
    /// Whether it still leads to the database that the address names.
    var isCurrent: Bool { get }

    /// Begins to read one state of the database.
    ///
    /// - Parameter isWanted: whether somebody still waits for the answer; its statements end once nobody does.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) throws(DatabaseError) -> DatabaseState

    /// Ends reading the state; nothing happens outside of one.
    func end()

    /// The tables in the state that is read. All statements before are forgotten.
    func readCatalogue(_ options: TableOptions) throws(DatabaseError) -> Catalogue

    /// The first row of a query.
    func first(_ sql: String, _ values: [SQLiteValue]) throws(DatabaseError) -> [SQLiteValue]?

    /// All rows of a query.
    func rows(
        _ sql: String, _ values: [SQLiteValue], _ body: (ResultRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError)

    /// How the database would run a statement.
    func plan(of sql: String) throws(DatabaseError) -> StatementPlan

    /// Runs statements that may take a moment or fail; nil if they do.
    func briefly<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result?

    /// About how many records a large table has.
    func estimate(_ table: Table) throws(DatabaseError) -> Int

    /// The columns of each index of a table, without indexes of expressions or of some records.
    func indexes(of table: Table) throws(DatabaseError) -> [[Int]]
}

/// The versions of the schema and of the whole content; each differs after a change.
struct DatabaseState {
    var schema: SQLiteValue = .null
    var data: SQLiteValue = .null
}

/// How a database runs a statement about the table `c`.
struct StatementPlan {
    /// Whether it seeks the records in an index.
    let isSought: Bool
    /// Whether it sorts records.
    let isSorted: Bool
}

/// The present row of a statement.
enum ResultRow {
    case sqlite(SQLiteStatement)
    case postgres(PostgresRow)

    /// The value of a column, with which other statements can compare.
    func value(_ column: Int32) -> SQLiteValue {
        switch self {
        case .sqlite(let statement): statement.value(column)
        case .postgres(let row): row.value(Int(column))
        }
    }
}
