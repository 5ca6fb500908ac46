internal import DatabaseTrees
internal import Files
internal import Levels
internal import Locking

/// A connection to a database, with its catalogue, and counts of its present state.
///
/// Unchecked Sendable: it is in the pool, or one thread has taken it.
final class OpenDatabase: @unchecked Sendable {
    let connection: SQLiteConnection
    private let identity: FileIdentity
    private let options: TableRows.Options
    private(set) var catalogue = Catalogue(tables: [], foreignKeys: [])
    /// Null before the catalogue was read.
    private var schemaVersion: SQLiteValue = .null
    private var dataVersion: SQLiteValue = .null
    /// The numbers of records that were counted for the present version, by statement.
    private var counts: [String: RecordCount] = [:]
    /// The runs of sections that were counted for the present version, by the name of the grouping.
    private var runs: [String: [SectionRun]] = [:]
    /// The latest arrangements in the present version, by the name of the list and the query.
    private var arrangements: [(name: String, rows: ArrangedRows, level: Level)] = []
    /// Samples of orders in the present version, by the name of the list.
    private(set) var ranks: [String: RankSamples] = [:]
    private var answers = KeptAnswers()
    /// The steps of statements, for the present schema.
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
        // A function cannot be interrupted while it makes one value.
        if options.reference?.query != nil { connection.limitValues(to: Self.mostValueBytes) }
        // The first statement that reads the file.
        _ = try connection.first("PRAGMA schema_version")
    }

    /// The largest value of a query, in bytes.
    private static let mostValueBytes = 32 << 20

    /// Whether the path still leads to the file.
    func isCurrent(path: String) -> Bool {
        guard let found = FileIdentity(path: path) else { return false }
        return found.inode == identity.inode && found.device == identity.device
    }

    /// Begins to read one state of the database.
    ///
    /// - Parameter isWanted: whether somebody still waits for the answer; its statements end once nobody does.
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

    /// Forgets everything about another state of the database.
    private func forgetState() {
        (counts, runs, arrangements, ranks) = ([:], [:], [], [:])
        answers = KeptAnswers()
    }

    func end() {
        connection.rollBack()
        connection.setDeadline(nil)
    }

    /// An arrangement of the present version, which is made if it is not kept.
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

    /// The most orders with samples; one of 10 million records takes about 1 MB.
    private static let mostRanks = 8

    func keptAnswer(_ name: String) -> (any Sendable)? { answers[name] }

    func keep(_ answer: any Sendable, as name: String, cost: Int) { answers.keep(answer, as: name, cost: cost) }

    private static let mostArrangements = 4
    /// The memory for kept arrangements of one connection, in bytes.
    private static let arrangementBytes = 32 << 20

    /// The runs of the sections of a grouping, which are counted if they are not kept.
    func runs<Failure: Error>(
        _ name: String, _ count: () throws(Failure) -> [SectionRun]
    ) throws(Failure) -> [SectionRun] {
        if let known = runs[name] { return known }
        let counted = try count()
        if runs.count >= Self.mostRuns { runs = [:] }
        runs[name] = counted
        return counted
    }

    /// A client can ask for the groups of any record's list.
    private static let mostRuns = 64

    /// The number of records of a list, counted up to a limit.
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
    /// About how many records a large table has: by its latest analysis, else by its largest rowid.
    private func estimate(_ table: Table) throws(DatabaseError) -> Int {
        if try connection.first("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'") != nil {
            let name = SQLiteValue.text(Array(table.name.utf8))
            // Each text begins with the number of rows in an index, and an index may be of some rows only.
            let found = try connection.first(
                "SELECT max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 WHERE tbl = ?", [name])
            if let count = found?[0].integer { return Int(clamping: count) }
        }
        guard let rowID = table.rowID else { return 0 }
        return Int(clamping: try connection.first("SELECT max(\(rowID)) FROM \(table.source)")?[0].integer ?? 0)
    }

    /// The columns of each index of a table, without indexes of expressions or of some records.
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

    /// The steps of a statement (`EXPLAIN QUERY PLAN`).
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
    /// Whether there may be more.
    let isEstimate: Bool
}

/// The connections to a database that are not in use.
final class ConnectionPool: Sendable {
    private let path: String
    private let options: TableRows.Options
    private let free = Guarded<[OpenDatabase]>([])

    /// The most connections that are kept: as many brief and long answers are read at once.
    private static let most = 8

    init(path: String, options: TableRows.Options) { (self.path, self.options) = (path, options) }

    /// Takes a connection to the file that the path leads to now.
    func take() throws(DatabaseError) -> OpenDatabase {
        while let database = free.withLock({ $0.popLast() }) {
            if database.isCurrent(path: path) { return database }
        }
        return try open()
    }

    /// Opens a connection.
    func open() throws(DatabaseError) -> OpenDatabase { try OpenDatabase(path: path, options: options) }

    func giveBack(_ database: OpenDatabase) {
        database.end()
        free.withLock { free in if free.count < Self.most { free.append(database) } }
    }
}
