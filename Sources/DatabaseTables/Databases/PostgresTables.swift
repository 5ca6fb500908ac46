internal import DatabaseTrees

/// A connection to a PostgreSQL database.
final class PostgresTables: TableConnection {
    private let reader: PostgresReader
    private let options: TableOptions
    /// The versions that the latest `begin` has found.
    private var state = DatabaseState()
    /// Whether the schema may have changed since the latest look.
    private var mayDiffer = true
    /// The earliest time of the next look at the schema.
    private var nextLook = ContinuousClock.now
    private var indexes: [String: [[Int]]] = [:]

    /// - Throws: `DatabaseError` if it cannot connect.
    init(_ database: PostgresDatabase, options: TableOptions) throws(DatabaseError) {
        reader = try PostgresReader(database, timeout: options.timeout)
        self.options = options
    }

    var isCurrent: Bool { !reader.isLost }

    /// Begins to read one state. The version of the data is the snapshot. Every writing transaction changes the
    /// snapshot, so equal snapshots have the same content.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) throws(DatabaseError) -> DatabaseState {
        reader.setDeadline(deadline, while: isWanted)
        let data = DatabaseValue.text(Array(try reader.begin().utf8))
        if data != state.data { (state.data, mayDiffer) = (data, true) }
        let start = ContinuousClock.now
        guard mayDiffer else { return state }
        // Results under a schema that may be old are not shared.
        guard start >= nextLook else { return DatabaseState(schema: state.schema) }
        let found = try reader.first(PostgresCatalogue.versionQuery) ?? []
        (state.schema, mayDiffer) = (found.first ?? .null, false)
        let isLarge = (found.last?.integer ?? 0) > Self.mostLookedAt
        if isLarge { nextLook = .now + (.now - start) * Self.looksApart }
        return state
    }

    /// The maximum number of rows in the catalogue for which each commit is followed by a look at the schema. In a larger
    /// catalogue, the pause after a look is a multiple of the time that the look took.
    private static let mostLookedAt = 20_000
    private static let looksApart = 10

    func end() { reader.end() }

    func readCatalogue(_ options: TableOptions) throws(DatabaseError) -> Catalogue {
        let read = try PostgresCatalogue(reader, options: options)
        indexes = read.byName
        return read.catalogue
    }

    /// Runs a query. If the server refuses it, the next answer looks at the schema again.
    func rows(_ sql: SQL, _ body: (ResultRow) throws(DatabaseError) -> Void) throws(DatabaseError) {
        do throws(DatabaseError) {
            try reader.rows(sql) { (row) throws(DatabaseError) in try body(.postgres(row)) }
        } catch {
            if error.kind == .refused { (nextLook, mayDiffer) = (.now, true) }
            throw error
        }
    }

    /// Returns the generic plan of a statement. The plan has a sort or a sequential scan only if indexes cannot replace
    /// it.
    func plan(of sql: SQL, combinesIndexes: Bool) throws(DatabaseError) -> StatementPlan {
        // A plan that was cancelled has left its statement.
        try reader.run(
            """
            DEALLOCATE ALL; SAVEPOINT plan; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;
            SET LOCAL enable_bitmapscan = \(combinesIndexes ? "on" : "off");
            SET LOCAL enable_incremental_sort = off; SET LOCAL plan_cache_mode = force_generic_plan
            """)
        var lines: [String] = []
        do throws(DatabaseError) {
            // Unlike `run`, this takes only one statement.
            _ = try reader.first(SQL(verbatim: "PREPARE drilldown_plan AS \(sql.numberedText)"))
            let nulls = sql.values.map { _ in SQL(verbatim: "NULL") }
            let values: SQL = nulls.isEmpty ? "" : "(\(nulls.joined(by: ", ")))"
            try reader.rows("EXPLAIN (COSTS OFF) EXECUTE drilldown_plan\(values)") { (row) throws(DatabaseError) in
                lines.append(row.string(0) ?? "")
            }
        } catch {
            guard error.kind == .refused else { throw error }
            // For example, the server refuses to sort by a column whose type lacks an order.
        }
        try reader.run("ROLLBACK TO SAVEPOINT plan")
        return lines.isEmpty ? StatementPlan(isSought: false, isSorted: true) : Self.plan(lines)
    }

    /// Reads a plan from the lines of `EXPLAIN`. In these lines, a partition of the table `c` has a name such as `c_1`.
    private static func plan(_ lines: [String]) -> StatementPlan {
        var (isSought, isSorted, isOfTable) = (false, false, false)
        for line in lines {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("Index Cond:") {
                isSought = isSought || isOfTable
            } else if !text.prefix(while: { $0 != "\"" }).contains(":") {
                let node = text.hasPrefix("->") ? text.dropFirst(2).drop { $0 == " " } : text
                // These nodes belong to the scan of the table above them.
                guard !node.hasPrefix("BitmapOr"), !node.hasPrefix("Bitmap Index Scan") else { continue }
                isSorted = isSorted || node.hasPrefix("Sort") || node.hasPrefix("Incremental Sort")
                let name = node.split(separator: " ").last ?? ""
                isOfTable = name == "c" || name.hasPrefix("c_") && name.dropFirst(2).allSatisfy(\.isNumber)
            }
        }
        return StatementPlan(isSought: isSought, isSorted: isSorted)
    }

    func briefly<Result>(
        within limit: Duration?, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result? {
        // A time of 0 would mean no limit.
        let time = limit.map { "; SET LOCAL statement_timeout = '\(Int(max(1, $0 / .milliseconds(1))))ms'" } ?? ""
        try reader.run("SAVEPOINT brief; SET LOCAL lock_timeout = '20ms'\(time)")
        var result: Result?
        do throws(DatabaseError) { result = try body() } catch {
            guard error.kind != .away else { throw error }
        }
        try reader.run("ROLLBACK TO SAVEPOINT brief")
        return result
    }

    /// Returns the planner's estimate of the number of records. It is based on the latest ANALYZE and the present size
    /// of the table.
    func estimate(_ table: Table) throws(DatabaseError) -> Int {
        var count = 0
        try rows("EXPLAIN (FORMAT JSON) SELECT 1 FROM \(table.source) AS c") { (row) throws(DatabaseError) in
            guard case .postgres(let row) = row, let text = row.string(0),
                let start = text.firstRange(of: "\"Plan Rows\": ")?.upperBound
            else { return }
            count = Int(text[start...].prefix { $0.isNumber }) ?? 0
        }
        return count
    }

    func indexes(of table: Table) throws(DatabaseError) -> [[Int]] { indexes[table.name] ?? [] }

    func hasRelation(named name: String, beside table: Table) throws(DatabaseError) -> Bool {
        try reader.first(
            """
            SELECT 1 FROM pg_class WHERE relname = \(text: name)
              AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = \(text: table.source.text)::regclass)
            """) != nil
    }

    /// Returns the names of the trees in the database.
    func trees() throws(DatabaseError) -> [String] {
        var names: [String] = []
        try reader.rows(PostgresCatalogue.treesQuery) { (row) throws(DatabaseError) in
            if let name = row.string(0) { names.append(name) }
        }
        return names
    }
}
