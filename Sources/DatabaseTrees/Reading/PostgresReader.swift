internal import Bytes
internal import Files
package import TreeSources

/// A PostgreSQL database whose tables are shown, with the password of the role.
package struct PostgresDatabase: Sendable {
    package let address: PostgresAddress
    fileprivate let password: String?

    /// - Parameter passwordFile: the file with the password of the role; nil if libpq finds a password itself.
    /// - Throws: `SourceError` for an address that is not valid, or a file that cannot be read.
    package init(_ address: String, passwordFile: String?) throws(SourceError) {
        self.address = try PostgresAddress(ofTables: address)
        password = try passwordFile.map { path throws(SourceError) in try PasswordFile.read(path) }
    }
}

/// A connection for reading the tables of a PostgreSQL database. `begin` connects again if the connection was lost.
package final class PostgresReader {
    private let parameters: [(name: String, value: String)]
    private let timeout: Duration
    private var connection: PostgresConnection
    private var deadline: ContinuousClock.Instant?
    private var isWanted: @Sendable () -> Bool = { true }

    /// Connects to the database.
    ///
    /// - Parameter timeout: the longest time that a statement, or its wait for a lock, may take.
    /// - Throws: `DatabaseError` if the connection cannot be made.
    package init(
        _ database: PostgresDatabase, timeout: Duration
    ) throws(DatabaseError) {
        let address = database.address
        let parameters = address.parameters(for: address.readsStandby ? .reading : .tables, password: database.password)
        (self.parameters, self.timeout) = (parameters, timeout)
        connection = try Self.failing { () throws(PostgresFailure) in
            try Self.connect(parameters, timeout: timeout)
        }
    }

    /// Whether the connection is lost.
    package var isLost: Bool { connection.isLost }

    private static func connect(
        _ parameters: [(name: String, value: String)], timeout: Duration
    ) throws(PostgresFailure) -> PostgresConnection {
        let connection = try PostgresConnection(parameters)
        let milliseconds = Int(timeout / .milliseconds(1))
        // A parallel scan, or a scan that begins in the middle, would change the order of records without a key.
        try connection.run(
            """
            SELECT set_config(name, value, false) FROM (VALUES ('default_transaction_read_only', 'on'),
              ('statement_timeout', '\(milliseconds + 1_000)ms'), ('lock_timeout', '\(milliseconds)ms'),
              ('idle_in_transaction_session_timeout', '\(2 * milliseconds + 60_000)ms'), ('DateStyle', 'ISO, YMD'),
              ('IntervalStyle', 'postgres'), ('TimeZone', 'UTC'), ('extra_float_digits', '1'), ('bytea_output', 'hex'),
              ('jit', 'off'), ('synchronize_seqscans', 'off'), ('max_parallel_workers_per_gather', '0')) s (name, value)
            """)
        connection.patience = timeout + .seconds(5)
        return connection
    }

    // MARK: States

    /// Cancels statements at a deadline, or earlier once nobody wants the answer.
    ///
    /// - Parameter deadline: nil to let statements take any time, even if `isWanted` returns false.
    package func setDeadline(
        _ deadline: ContinuousClock.Instant?, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.deadline, self.isWanted) = (deadline, isWanted)
        connection.isUnwanted = deadline.map { deadline in { !isWanted() || .now >= deadline } }
    }

    /// Begins to read one state of the database, and returns the version of that state. If the connection is lost,
    /// connects again once.
    package func begin() throws(DatabaseError) -> String {
        try Self.failing { () throws(PostgresFailure) in
            if !connection.isLost {
                do throws(PostgresFailure) { return try beginTransaction() } catch  where error.isLost {}
            }
            connection = try Self.connect(parameters, timeout: timeout)
            setDeadline(deadline, while: isWanted)
            return try beginTransaction()
        }
    }

    private func beginTransaction() throws(PostgresFailure) -> String {
        try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SELECT pg_current_snapshot()::text")?[0]
            .string ?? ""
    }

    /// Returns the version of the current state of the database.
    package func look() throws(DatabaseError) -> String {
        try Self.failing { () throws(PostgresFailure) in
            try connection.run("SELECT pg_current_snapshot()::text")?[0].string ?? ""
        }
    }

    /// Ends the reading of a state, if any, and removes the deadline.
    package func end() {
        setDeadline(nil)
        guard !connection.isLost, connection.isInTransaction else { return }
        do throws(PostgresFailure) {
            try connection.run("ROLLBACK")
        } catch {
            // A cancellation that came late may have hit the ROLLBACK.
            connection.giveUp()
        }
    }

    // MARK: Statements

    /// Runs one or more statements in one text, and ignores their results.
    package func run(_ text: String) throws(DatabaseError) {
        _ = try Self.failing { () throws(PostgresFailure) in try connection.run(text) }
    }

    /// Runs a statement, and calls a closure with each row as soon as the row arrives. The closure must not run other
    /// statements.
    ///
    /// If a value is not valid for the type that the statement expects, no row is found.
    package func rows(
        _ sql: SQL, _ body: (PostgresRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let values = sql.values
        // A text with U+0000 is in no table.
        guard !values.contains(where: { $0.postgresText?.contains(0) ?? false }) else { return }
        var thrown: DatabaseError?
        do throws(PostgresFailure) {
            try connection.stream(sql) { row in
                do throws(DatabaseError) {
                    try body(row)
                    return true
                } catch {
                    thrown = error
                    return false
                }
            }
        } catch {
            if let thrown { throw thrown }
            guard !values.isEmpty, !error.isInText, Self.valueStates.contains(error.state) else {
                throw error.readingError
            }
            // After the failure, the transaction runs no more statements, so a new one begins.
            try run("ROLLBACK")
            _ = try begin()
        }
        if let thrown { throw thrown }
    }

    /// Returns the first row of a query; nil if the query finds nothing.
    package func first(_ sql: SQL) throws(DatabaseError) -> [DatabaseValue]? {
        var found: [DatabaseValue]?
        try rows(sql) { (row) throws(DatabaseError) in if found == nil { found = row.values } }
        return found
    }

    /// The SQLSTATEs of a value that is not valid for its type, or out of the type's range (class 22, data exception). The
    /// types for text search report a syntax error (42601).
    private static let valueStates: Set<String> = [
        "22003", "22007", "22008", "22021", "22023", "22P02", "22P03", "22P05", "42601",
    ]

    private static func failing<Result>(
        _ body: () throws(PostgresFailure) -> Result
    ) throws(DatabaseError) -> Result {
        do throws(PostgresFailure) { return try body() } catch { throw error.readingError }
    }
}

extension PostgresReader {
    /// Returns the names and the types of the columns of a SELECT that drilldown did not write itself.
    package func columns(ofQuery source: SQL) throws(DatabaseError) -> [(name: String, type: UInt32)] {
        try Self.failing { () throws(PostgresFailure) in
            try connection.columns(of: "SELECT * FROM \(source) AS c LIMIT 0")
        }
    }
}

extension PostgresFailure {
    /// The failure as an error for callers that read tables.
    fileprivate var readingError: DatabaseError {
        switch state {
        case _ where isLost || state.hasPrefix("08") || state.hasPrefix("53") || state == "57P03":
            DatabaseError(kind: .away, reason: message)
        case "57014": DatabaseError(kind: .timeout, reason: "the statement took longer than it may")
        case "55P03", "40P01", "40001":
            DatabaseError(kind: .busy, reason: "another program holds a lock in the database")
        default: DatabaseError(kind: .refused, reason: message)
        }
    }
}

/// The file named by `--database-password-file`. The first line of the file is the password.
enum PasswordFile {
    /// Returns the password.
    ///
    /// - Throws: `SourceError` if the file cannot be read, or if its first line is empty.
    static func read(_ path: String) throws(SourceError) -> String {
        let bytes: [UInt8]
        do throws(SmallFile.Unreadable) {
            bytes = try SmallFile(path: path, maximumBytes: 4_096).bytes
        } catch {
            throw SourceError(path, reason: "the file of the password cannot be read: \(error)")
        }
        let password = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard !password.isEmpty else { throw SourceError(path, reason: "it is empty; its first line is the password") }
        return password
    }
}
