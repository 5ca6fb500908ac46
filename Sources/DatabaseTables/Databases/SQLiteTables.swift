internal import DatabaseTrees
internal import Files
internal import Levels

/// A connection to a SQLite file.
final class SQLiteTables: TableConnection {
    let connection: SQLiteConnection
    private let path: String
    private let identity: FileIdentity
    private let clock: StateClock?
    /// The latest state that was read, and the connection's own number for this state (`PRAGMA data_version`). The
    /// number is NULL if `begin` must determine the state anew.
    private var state = DatabaseState()
    private var ownVersion: DatabaseValue = .null

    /// - Throws: `DatabaseError` if the file cannot be opened, or is not a database.
    ///
    /// - Parameter clock: the clock that numbers the states for all connections. Without a clock, each reading counts
    ///   as a state of its own.
    init(path: String, options: TableOptions, clock: StateClock? = nil) throws(DatabaseError) {
        guard let identity = FileIdentity(path: path) else {
            throw DatabaseError(kind: .away, reason: "the file does not exist")
        }
        guard identity.isRegular else { throw DatabaseError(kind: .other, reason: "it is not a file") }
        (self.path, self.identity, self.clock) = (path, identity, clock)
        connection = try SQLiteConnection(path: path, for: .read, mostValueBytes: options.mostValueBytes)
        connection.setBusyTimeout(options.timeout)
        try connection.execute("PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
        // This statement is the first to read the file, so it throws if the file is not a database.
        _ = try connection.first("PRAGMA schema_version")
    }

    /// Whether the path still leads to the opened file.
    var isCurrent: Bool {
        FileIdentity(path: path)?.isSameFile(as: identity) ?? false
    }

    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) throws(DatabaseError) -> DatabaseState {
        connection.setDeadline(deadline, while: isWanted)
        _ = try connection.first("BEGIN")
        let version = try dataVersion
        if version != ownVersion { try beginAnew() }
        return state
    }

    /// Begins the transaction again, because the database has changed since the previous transaction.
    private func beginAnew() throws(DatabaseError) {
        ownVersion = .null
        connection.rollBack()
        let before = clock?.number(of: identity)
        _ = try connection.first("BEGIN")
        let version = try dataVersion
        state = DatabaseState(schema: try connection.first("PRAGMA schema_version")?[0] ?? .null)
        // If another program has committed meanwhile, this answer shares no results with other connections.
        guard let before, clock?.number(of: identity) == before else { return }
        state.data = .integer(before)
        ownVersion = version
    }

    /// The version of the content. The version differs after a commit of another program.
    var dataVersion: DatabaseValue {
        get throws(DatabaseError) { try connection.first("PRAGMA data_version")?[0] ?? .null }
    }

    func end() {
        connection.rollBack()
        connection.setDeadline(nil)
    }

    func readCatalogue(_ options: TableOptions) throws(DatabaseError) -> Catalogue {
        connection.forgetStatements()
        return try Catalogue(connection: connection, options: options)
    }

    func rows(_ sql: SQL, _ body: (ResultRow) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try connection.rows(sql) { (statement) throws(DatabaseError) in try body(.sqlite(statement)) }
    }

    /// Returns the plan that `EXPLAIN QUERY PLAN` reports.
    func plan(of sql: SQL, combinesIndexes: Bool) throws(DatabaseError) -> StatementPlan {
        let steps = try connection.allRows("EXPLAIN QUERY PLAN \(SQL(verbatim: sql.text))").compactMap { $0[3].string }
        return StatementPlan(
            isSought: steps.contains { $0.hasPrefix("SEARCH c") },
            isSorted: steps.contains { $0.contains("TEMP B-TREE") }
        )
    }

    func briefly<Result>(
        within limit: Duration?, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result? {
        // A lock holds for the whole file, so without a time limit nothing differs.
        guard let limit else { return try body() }
        do throws(DatabaseError) {
            return try connection.within(limit, body)
        } catch {
            guard [.timeout, .tooLarge, .other].contains(error.kind) else { throw error }
            return nil
        }
    }

    /// Returns the number of records at the latest ANALYZE. Without this number, returns the largest rowid, or 0 for a
    /// table without a rowid.
    func estimate(_ table: Table) throws(DatabaseError) -> Int {
        if try connection.first("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'") != nil {
            // Each `stat` begins with the number of rows in an index. The maximum counts, because a partial index has
            // fewer rows than the table.
            let found = try connection.first(
                "SELECT max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 WHERE tbl = \(text: table.name)")
            if let count = found?[0].integer { return Int(clamping: count) }
        }
        guard let rowID = table.rowID else { return 0 }
        return Int(clamping: try connection.first("SELECT max(\(rowID)) FROM \(table.source)")?[0].integer ?? 0)
    }

    func hasRelation(named name: String, beside table: Table) throws(DatabaseError) -> Bool {
        try connection.first(
            "SELECT 1 FROM main.sqlite_master WHERE name = \(text: name) COLLATE NOCASE") != nil
    }

    func indexes(of table: Table) throws(DatabaseError) -> [[Int]] {
        var found: [[Int]] = []
        for index in try connection.allRows("SELECT name FROM pragma_index_list(\(text: table.name)) WHERE NOT partial")
        {
            let columns = try connection.allRows(
                "SELECT name FROM pragma_index_xinfo(\(index[0])) WHERE key ORDER BY seqno"
            ).map { $0[0].string.flatMap(table.column) }
            let known = columns.compactMap(\.self)
            if known.count == columns.count, !known.isEmpty { found.append(known) }
        }
        return found
    }
}
