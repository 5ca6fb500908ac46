internal import DatabaseTrees
internal import Levels
internal import Locking

/// A connection to a database, with its catalogue, and with results that are kept until the next commit.
///
/// Unchecked Sendable: it is in the pool, or only the thread that has taken it uses it.
final class OpenDatabase: @unchecked Sendable {
    let connection: any TableConnection
    private let options: TableRows.Options
    private(set) var catalogue = Catalogue(tables: [], foreignKeys: [])
    /// The versions to which the catalogue and the kept results belong; NULL before the catalogue was read.
    private var state = DatabaseState()
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
    private var plans: [String: StatementPlan] = [:]

    init(_ connection: any TableConnection, options: TableRows.Options) {
        (self.connection, self.options) = (connection, options)
    }

    /// Begins a transaction that reads one state of the database, and forgets the results that were kept for another.
    ///
    /// - Parameters:
    ///   - deadline: the time at which its statements are interrupted.
    ///   - isWanted: whether the answer is still wanted; otherwise its statements are interrupted, too.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(DatabaseError) {
        do throws(DatabaseError) {
            let found = try connection.begin(until: deadline, while: isWanted)
            if found.schema != state.schema {
                catalogue = try connection.readCatalogue(options)
                plans = [:]
                forgetState()
            }
            if found.data != state.data { forgetState() }
            state = found
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

    func end() { connection.end() }

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
        let statement = "SELECT count(*) FROM (SELECT 1 FROM \(list.source)\(condition) LIMIT \(limit + 1)) AS r"
        let isKept = list.values.isEmpty
        if isKept, let known = counts[statement] { return known }
        if list.table.dialect == .postgres, isKept {
            // Every commit on the server makes kept counts obsolete, so large tables are not counted.
            let about = try connection.estimate(list.table)
            guard about <= 2 * limit else {
                let count = RecordCount(number: about, isEstimate: true)
                counts[statement] = count
                return count
            }
        }
        let found = Int(try connection.first(statement, list.values)?[0].integer ?? 0)
        let isWhole = found <= limit
        let count = RecordCount(
            number: isWhole ? found : max(found, list.condition == nil ? try connection.estimate(list.table) : 0),
            isEstimate: !isWhole)
        if isKept { counts[statement] = count }
        return count
    }
}

extension OpenDatabase {
    /// Returns the plan of a statement, which is kept for the present schema.
    func plan(of sql: String) throws(DatabaseError) -> StatementPlan {
        if let known = plans[sql] { return known }
        let plan = try connection.plan(of: sql)
        if plans.count > 256 { plans = [:] }
        plans[sql] = plan
        return plan
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
    private let options: TableRows.Options
    private let connect: @Sendable () throws(DatabaseError) -> any TableConnection
    private let free = Guarded<[OpenDatabase]>([])

    /// The maximum number of kept connections: the number of short and long answers that are read at once.
    private static let most = 8

    init(options: TableRows.Options, connect: @escaping @Sendable () throws(DatabaseError) -> any TableConnection) {
        (self.options, self.connect) = (options, connect)
    }

    /// Takes a free connection to the database to which the address leads now, or opens one.
    func take() throws(DatabaseError) -> OpenDatabase {
        while let database = free.withLock({ $0.popLast() }) {
            if database.connection.isCurrent { return database }
        }
        return OpenDatabase(try connect(), options: options)
    }

    func giveBack(_ database: OpenDatabase) {
        database.end()
        free.withLock { free in if free.count < Self.most { free.append(database) } }
    }
}
