internal import DatabaseTrees
internal import Levels
internal import Locking
internal import PropertyLists

/// A connection to a database, with its catalogue.
///
/// Unchecked Sendable: a database is either in the pool, or used only by the thread that has taken it.
final class OpenDatabase: @unchecked Sendable {
    let connection: any TableConnection
    let options: TableOptions
    /// The keys of the item of a document that shows the database; empty if the database itself is the source.
    var prefix: [[UInt8]] = []
    private(set) var catalogue = Catalogue(tables: [], foreignKeys: [])
    /// The versions of the latest state; NULL before the first state. The catalogue describes the schema of this state.
    private var state = DatabaseState()
    /// The results that are kept for the latest state.
    private(set) var known = KnownState()
    private let states: KnownStates
    /// The time that is left for counting views in this answer.
    var briefTime = Duration.zero
    /// The query plans of statements for the present schema.
    private var plans: [String: StatementPlan] = [:]

    init(_ connection: any TableConnection, options: TableOptions, states: KnownStates) {
        (self.connection, self.options, self.states) = (connection, options, states)
    }

    /// Begins a transaction that reads one state of the database, and takes the results that are kept for this state.
    ///
    /// - Parameters:
    ///   - deadline: the time at which running statements are interrupted.
    ///   - isWanted: returns whether the answer is still wanted. If not, running statements are interrupted, too.
    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(DatabaseError) {
        let found = try connection.begin(until: deadline, while: isWanted)
        briefTime = .milliseconds(500)
        if found.schema != state.schema {
            catalogue = try connection.readCatalogue(options)
            plans = [:]
        }
        if found.data == .null || found.data != state.data { known = states.state(found.data) }
        state = found
    }

    func end() { connection.end() }

    /// The version of the schema that the catalogue describes.
    var schema: DatabaseValue { state.schema }

    /// Returns the plan for a statement. Keeps the plan until the schema changes.
    func plan(of sql: SQL, combinesIndexes: Bool = false) throws(DatabaseError) -> StatementPlan {
        let text = sql.text
        if let known = plans[text] { return known }
        let plan = try connection.plan(of: sql, combinesIndexes: combinesIndexes)
        if plans.count > 256 { plans = [:] }
        plans[text] = plan
        return plan
    }
}

/// The open connections to a database that are not in use.
final class ConnectionPool: Sendable {
    private let options: TableOptions
    private let connect: @Sendable () throws(DatabaseError) -> any TableConnection
    private let free = Guarded<[OpenDatabase]>([])
    private let states = KnownStates()

    /// The maximum number of kept connections, which is the number of short and long answers that are read at the same
    /// time.
    private static let most = 8

    init(options: TableOptions, connect: @escaping @Sendable () throws(DatabaseError) -> any TableConnection) {
        (self.options, self.connect) = (options, connect)
    }

    /// Takes a connection to the database to which the address leads now.
    func take() throws(DatabaseError) -> OpenDatabase {
        while let database = free.withLock({ $0.popLast() }) {
            if database.connection.isCurrent { return database }
        }
        return OpenDatabase(try connect(), options: options, states: states)
    }

    func giveBack(_ database: OpenDatabase) {
        database.end()
        free.withLock { free in if free.count < Self.most { free.append(database) } }
    }
}

extension OpenDatabase {
    private static let mostWarnings = 100

    /// Returns warnings about tables that cannot be read, tables without a key, and foreign keys without an index.
    func warnings() throws(DatabaseError) -> [DocumentWarning] {
        var found = catalogue.unreadable.prefix(Self.mostWarnings).map { name, reason in
            DocumentWarning(
                position: nil, path: "/\(name)", message: "the database cannot read it, so it is left out: \(reason)")
        }
        for table in catalogue.tables where found.count < Self.mostWarnings {
            func warn(_ message: String) {
                found.append(DocumentWarning(position: nil, path: "/\(table.name)", message: message))
            }
            if table.isPositional {
                warn(
                    table.isInherited
                        ? "other tables inherit from it, so no key identifies its records, and only the first are shown"
                        : "the table has no key, so only its first records are shown; give it a primary key")
            } else if table.key.isEmpty {
                warn(
                    "the table has no key, so its rowid names its records, which VACUUM may change; give it a primary key"
                )
            }
            let indexes = table.references.isEmpty ? [] : try connection.indexes(of: table) + [table.key]
            for key in table.references
            where !indexes.contains(where: { Set($0.prefix(key.columns.count)) == Set(key.columns) }) {
                let terms = key.columns.map { table.term($0, isDescending: false) }
                let create = try creatingIndex(on: table, by: terms).map { "; create one with \($0)" } ?? ""
                let parent = catalogue.tables[key.parent]
                warn("no index finds the records that refer to a record of '\(quoted: parent.name)'\(create)")
            }
        }
        return found
    }
}
