internal import DatabaseTrees
internal import Files
internal import Levels
internal import Locking

/// A connection to a database, with its catalogue, and with results that are kept until the next commit.
///
/// Unchecked Sendable: it is in the pool, or only the thread that has taken it uses it.
final class OpenDatabase: @unchecked Sendable {
    let connection: SQLiteConnection
    private let identity: FileIdentity
    private let options: TableRows.Options
    private(set) var catalogue = Catalogue(tables: [], foreignKeys: [])
    /// The version of the schema that the catalogue describes; NULL before the catalogue was read.
    private var schemaVersion: SQLiteValue = .null
    private var dataVersion: SQLiteValue = .null
    /// The counted numbers of records in the present version, by statement.
    private var counts: [String: RecordCount] = [:]
    /// The counted runs of sections in the present version, by the list and its grouping.
    private var runs: [String: [SectionRun]] = [:]
    /// The latest arrangements in the present version, by the list and the query.
    private var arrangements: [(name: String, rows: ArrangedRows, level: Level)] = []
    /// Samples of orders in the present version, by the list and its order.
    private(set) var ranks: [String: RankSamples] = [:]
    private var answers = KeptAnswers()
    /// The query plans of statements for the present schema.
    private var plans: [String: [String]] = [:]

    /// - Throws: `DatabaseError` if the file cannot be opened, or is not a database.
    init(path: String, options: TableRows.Options) throws(DatabaseError) {
        self.options = options
        guard let identity = FileIdentity(path: path) else {
            throw DatabaseError(kind: .away, reason: "the file does not exist")
        }
        guard identity.isRegular else { throw DatabaseError(kind: .other, reason: "it is not a file") }
        self.identity = identity
        connection = try SQLiteConnection(path: path, for: .read)
        try connection.execute("PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
        // SQLite cannot interrupt a function while it makes one value, however large.
        if options.reference?.query != nil { connection.limitValues(to: Self.mostValueBytes) }
        // Reads the file for the first time, and so throws if it is not a database.
        _ = try connection.first("PRAGMA schema_version")
    }

    /// The maximum size of a value in the result of an item's `Query`, in bytes.
    private static let mostValueBytes = 32 << 20

    /// Returns whether the path still leads to the opened file.
    func isCurrent(path: String) -> Bool {
        guard let found = FileIdentity(path: path) else { return false }
        return found.inode == identity.inode && found.device == identity.device
    }

    /// Begins a transaction that reads one state of the database, and forgets the results that were kept for another.
    ///
    /// - Parameters:
    ///   - deadline: the time at which its statements are interrupted.
    ///   - isWanted: whether the answer is still wanted; otherwise its statements are interrupted, too.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(DatabaseError) {
        connection.setDeadline(deadline, while: isWanted)
        do throws(DatabaseError) {
            try connection.execute("BEGIN")
            let schema = try connection.first("PRAGMA schema_version")?[0] ?? .null
            let data = try connection.first("PRAGMA data_version")?[0] ?? .null
            if schema != schemaVersion {
                connection.forgetStatements()
                (catalogue, schemaVersion) = (try Catalogue(connection: connection, options: options), schema)
                plans = [:]
                forgetState()
            }
            if data != dataVersion {
                dataVersion = data
                forgetState()
            }
        } catch {
            end()
            throw error
        }
    }

    /// Forgets all results that were kept for another state of the database.
    private func forgetState() {
        (counts, runs, arrangements, ranks) = ([:], [:], [], [:])
        answers = KeptAnswers()
    }

    func end() {
        connection.rollBack()
        connection.setDeadline(nil)
    }

    /// Returns the kept arrangement with a name, or makes it and keeps it.
    func arrangement(
        _ name: String, _ make: () throws(DatabaseError) -> (ArrangedRows, Level)
    ) throws(DatabaseError) -> (rows: ArrangedRows, level: Level) {
        if let known = arrangements.first(where: { $0.name == name }) { return (known.rows, known.level) }
        let (rows, level) = try make()
        arrangements.append((name, rows, level))
        while arrangements.count > Self.mostArrangements
            || arrangements.reduce(0, { $0 + $1.level.residentBytes }) > Self.arrangementBytes
        {
            arrangements.removeFirst()
        }
        return (rows, level)
    }

    func keep(_ samples: RankSamples, as name: String) {
        if ranks[name] == nil, ranks.count >= Self.mostRanks { ranks = [:] }
        ranks[name] = samples
    }

    /// The maximum number of orders with kept samples; the samples of 10 million records take about 1 MB.
    private static let mostRanks = 8

    func keptAnswer(_ name: String) -> (any Sendable)? { answers[name] }

    func keep(_ answer: any Sendable, as name: String, cost: Int) { answers.keep(answer, as: name, cost: cost) }

    private static let mostArrangements = 4
    /// The memory for kept arrangements of one connection, in bytes.
    private static let arrangementBytes = 32 << 20

    /// Returns the kept runs with a name, or counts them and keeps them.
    func runs<Failure: Error>(
        _ name: String, _ count: () throws(Failure) -> [SectionRun]
    ) throws(Failure) -> [SectionRun] {
        if let known = runs[name] { return known }
        let counted = try count()
        if runs.count >= Self.mostRuns { runs = [:] }
        runs[name] = counted
        return counted
    }

    /// The maximum number of groupings with kept runs; a client can group the list below any record.
    private static let mostRuns = 64

    /// Returns the number of records in a list, counted up to a limit; beyond it, an estimate above the limit.
    func count(_ list: RecordList, upTo limit: Int) throws(DatabaseError) -> RecordCount {
        let condition = list.condition.map { " WHERE \($0)" } ?? ""
        let statement = "SELECT count(*) FROM (SELECT 1 FROM \(list.source)\(condition) LIMIT \(limit + 1))"
        let isKept = list.values.isEmpty
        if isKept, let known = counts[statement] { return known }
        let found = Int(try connection.first(statement, list.values)?[0].integer ?? 0)
        let isWhole = found <= limit
        let count = RecordCount(
            number: isWhole ? found : max(found, list.condition == nil ? try estimate(list.table) : 0),
            isEstimate: !isWhole)
        if isKept { counts[statement] = count }
        return count
    }
}

extension OpenDatabase {
    /// Returns the approximate number of records in a large table, from its latest ANALYZE, or else its largest rowid;
    /// 0 without either.
    private func estimate(_ table: Table) throws(DatabaseError) -> Int {
        if try connection.first("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'") != nil {
            let name = SQLiteValue.text(Array(table.name.utf8))
            // Each `stat` begins with the number of rows in an index; a partial index has fewer than the table.
            let found = try connection.first(
                "SELECT max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 WHERE tbl = ?", [name])
            if let count = found?[0].integer { return Int(clamping: count) }
        }
        guard let rowID = table.rowID else { return 0 }
        return Int(clamping: try connection.first("SELECT max(\(rowID)) FROM \(table.source)")?[0].integer ?? 0)
    }

    /// Returns the columns of each index of a table, except partial indexes and indexes with expressions.
    func indexes(of table: Table) throws(DatabaseError) -> [[Int]] {
        var names: [SQLiteValue] = []
        try connection.rows(
            "SELECT name FROM pragma_index_list(?) WHERE NOT partial", [.text(Array(table.name.utf8))]
        ) { (statement) throws(DatabaseError) in names.append(statement.value(0)) }
        var found: [[Int]] = []
        for name in names {
            var columns: [Int?] = []
            try connection.rows("SELECT name FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", [name]) {
                (statement) throws(DatabaseError) in columns.append(statement.value(0).string.flatMap(table.column))
            }
            let known = columns.compactMap(\.self)
            if known.count == columns.count, !known.isEmpty { found.append(known) }
        }
        return found
    }

    /// Returns the steps of a statement's query plan (`EXPLAIN QUERY PLAN`).
    func plan(of sql: String) throws(DatabaseError) -> [String] {
        if let known = plans[sql] { return known }
        var steps: [String] = []
        try connection.rows("EXPLAIN QUERY PLAN " + sql) { (statement) throws(DatabaseError) in
            if let step = statement.value(3).string { steps.append(step) }
        }
        if plans.count > 256 { plans = [:] }
        plans[sql] = steps
        return steps
    }
}

/// A number of records.
struct RecordCount: Sendable, Equatable {
    let number: Int
    /// Whether the number is an estimate, which may be too low or too high.
    let isEstimate: Bool
}

/// The open connections to a database that are not in use.
final class ConnectionPool: Sendable {
    private let path: String
    private let options: TableRows.Options
    private let free = Guarded<[OpenDatabase]>([])

    /// The maximum number of kept connections: the number of short and long answers that are read at once.
    private static let most = 8

    init(path: String, options: TableRows.Options) { (self.path, self.options) = (path, options) }

    /// Takes or opens a connection to the file to which the path leads now; connections to a former file are closed.
    func take() throws(DatabaseError) -> OpenDatabase {
        while let database = free.withLock({ $0.popLast() }) {
            if database.isCurrent(path: path) { return database }
        }
        return try open()
    }

    /// Opens a connection, which the caller may keep.
    func open() throws(DatabaseError) -> OpenDatabase { try OpenDatabase(path: path, options: options) }

    func giveBack(_ database: OpenDatabase) {
        database.end()
        free.withLock { free in if free.count < Self.most { free.append(database) } }
    }
}
