internal import Bytes
internal import CSQLite
internal import Glibc

/// One connection to a SQLite file, with its prepared statements (`sqlite3_open_v2`).
///
/// By default, a statement waits up to five seconds for a lock of another program.
@safe
package final class SQLiteConnection {
    let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    /// The time at which statements are interrupted; nil if they may take any time.
    private var deadline: ContinuousClock.Instant?
    /// Returns whether somebody still waits for the result. If nobody does, statements are interrupted.
    private var isWanted: @Sendable () -> Bool = { true }
    private let access: Access

    /// The kind of access to a file.
    package enum Access: Sendable {
        /// Read a database that may be hostile, without trusting the functions that its schema calls.
        case read
        /// Read and write.
        case write
        /// Read and write, and create a missing file.
        case create

        fileprivate var flags: Int32 {
            switch self {
            case .read: SQLITE_OPEN_READONLY
            case .write: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    /// Whether SQLite's memory statistics were turned off. The lock of the statistics would make each statement a few
    /// percent slower.
    private static let isConfigured = shim_leave_memory_uncounted() == SQLITE_OK

    /// Opens a file.
    ///
    /// - Parameter mostValueBytes: the maximum size of a value that is made or read, and of a row, in bytes. SQLite cannot
    ///   interrupt a function that is making a large value.
    /// - Throws: `DatabaseError` if the file cannot be opened.
    package init(
        path: String, for access: Access = .write, mostValueBytes: Int = largestRow
    ) throws(DatabaseError) {
        _ = Self.isConfigured
        var opened: OpaquePointer?
        let flags = access.flags | SQLITE_OPEN_NOMUTEX
        // SQLite may be built to read a path that begins with `file:` as a URI.
        let path = path.hasPrefix("file:") ? "./" + path : path
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened else {
            throw DatabaseError(kind: .other, reason: "there is not enough memory to open it")
        }
        unsafe handle = opened
        self.access = access
        guard result == SQLITE_OK else {
            let error = failure(result)
            unsafe sqlite3_close(opened)
            throw error
        }
        _ = unsafe sqlite3_busy_timeout(opened, 5_000)
        _ = unsafe sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Int32(clamping: mostValueBytes))
        _ = unsafe shim_defend(opened)
        if access == .read { _ = unsafe shim_distrust(opened) }
    }

    deinit {
        statements = [:]
        setDeadline(nil)
        // A statement that is still referenced keeps the connection open until the statement is freed.
        unsafe sqlite3_close_v2(handle)
    }

    /// Whether the file, or its folder, cannot be written to.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the file at a path begins like a SQLite database.
    package static func isDatabase(_ path: String) -> Bool {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 16)
        guard unsafe pread(descriptor, &head, head.count, 0) == head.count else { return false }
        return head.elementsEqual("SQLite format 3\0".utf8)
    }

    /// Executes statements that return nothing.
    package func execute(_ sql: String) throws(DatabaseError) {
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Undoes the open transaction; does nothing outside of a transaction.
    package func rollBack() {
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
        _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Returns a statement that is ready to be bound and run. The compiled statement of each text is kept for later
    /// calls.
    package func statement(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var compiled: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard let compiled = unsafe compiled else { throw failure(result) }
        let statement = unsafe SQLiteStatement(compiled)
        if statements.count >= Self.mostStatements { statements = [:] }
        statements[sql] = statement
        return statement
    }

    /// Frees all compiled statements, for example after the schema has changed. They are compiled again when they are
    /// used.
    package func forgetStatements() { statements = [:] }

    /// Returns a statement with its values bound.
    private func bound(_ sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        let statement = try statement(sql.text)
        statement.bind(sql.values)
        return statement
    }

    /// Runs a statement to its end.
    func run(_ sql: SQL) throws(DatabaseError) {
        let statement = try bound(sql)
        while try step(statement) {}
    }

    /// The number of rows that the latest statement wrote or deleted, without the rows that triggers wrote
    /// (`sqlite3_changes`).
    var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }

    /// Returns the first row of a query; nil without rows.
    package func first(_ sql: SQL) throws(DatabaseError) -> [DatabaseValue]? {
        let statement = try bound(sql)
        defer { statement.reset() }
        guard try step(statement) else { return nil }
        return statement.row
    }

    /// Calls a closure for each row of a query.
    package func rows(
        _ sql: SQL, _ body: (SQLiteStatement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let statement = try bound(sql)
        defer { statement.reset() }
        var row = 0
        while try step(statement) {
            try body(statement)
            row += 1
            // A row with a large value takes few instructions, so SQLite itself would look at the clock too rarely.
            if deadline != nil, row % Self.rowsBetweenLooks == 1, isInterrupted { throw failure(SQLITE_INTERRUPT) }
        }
    }

    /// Returns the rows of a query.
    package func allRows(_ sql: SQL) throws(DatabaseError) -> [[DatabaseValue]] {
        var all: [[DatabaseValue]] = []
        try rows(sql) { (statement) throws(DatabaseError) in all.append(statement.row) }
        return all
    }

    /// Moves to the next row. Returns false at the end.
    package func step(_ statement: SQLiteStatement) throws(DatabaseError) -> Bool {
        let result = unsafe sqlite3_step(statement.handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = failure(result)
            statement.reset()
            throw error
        }
    }

    /// The largest number of statements that are kept compiled.
    private static let mostStatements = 512

    /// The numbers of instructions of SQLite's virtual machine, and of rows, between two looks at the clock.
    private static let (stepsBetweenLooks, rowsBetweenLooks): (Int32, Int) = (1_000, 16)

    /// Interrupts statements once a deadline has passed (`sqlite3_progress_handler`).
    ///
    /// - Parameters:
    ///   - deadline: nil to let statements take any time, even if `isWanted` returns false.
    ///   - isWanted: returns whether somebody still waits for the result. Statements are also interrupted if it returns
    ///     false.
    package func setDeadline(
        _ deadline: ContinuousClock.Instant?, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.deadline, self.isWanted) = (deadline, isWanted)
        guard deadline != nil else {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        // The connection removes the handler before the connection is freed.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_progress_handler(handle, Self.stepsBetweenLooks, looksAtClock, context)
    }

    /// Runs statements, and interrupts them after some time, or earlier at the deadline.
    package func within<Result>(
        _ time: Duration, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let (before, end) = (deadline, ContinuousClock.now + time)
        setDeadline(before.map { min($0, end) } ?? end, while: isWanted)
        defer { setDeadline(before, while: isWanted) }
        return try body()
    }

    fileprivate var isInterrupted: Bool { !isWanted() || (deadline.map { ContinuousClock.now >= $0 } ?? false) }

    /// Sets the longest time that statements wait for a lock of another program.
    package func setBusyTimeout(_ time: Duration) {
        _ = unsafe sqlite3_busy_timeout(handle, Int32(clamping: time.components.seconds * 1_000))
    }

    /// The size of a row with the largest fields of an item, and its other columns, in bytes.
    package static let largestRow = ItemRow.mostBytes + 4_096

    /// Returns the collation of a column's texts; `BINARY` for a column of a view.
    package func collation(of column: String, in table: String) -> String {
        var collation: UnsafePointer<CChar>?
        let result = unsafe sqlite3_table_column_metadata(
            handle, "main", table, column, nil, &collation, nil, nil, nil)
        guard result == SQLITE_OK, let collation = unsafe collation else { return "BINARY" }
        return unsafe String(cString: collation).uppercased()
    }

    /// The reason why a constraint or a trigger has refused a row: the message and the constraint's name. Nil if the
    /// latest error has another cause.
    private(set) var refusal: (message: String, constraint: String?)?

    /// SQLite's message about the latest error (`sqlite3_errmsg`).
    package var message: String { unsafe String(cString: sqlite3_errmsg(handle)) }

    /// The upper bytes of the extended codes of failed reads: `SQLITE_IOERR_READ`, `SHORT_READ`, `FSTAT`, `ACCESS`,
    /// `DATA` and `CORRUPTFS`, which are macros.
    private static let readFaults: Set<Int32> = [1, 2, 7, 13, 32, 33]

    func failure(_ result: Int32) -> DatabaseError {
        let message = message
        let parts = message.split(separator: "constraint failed: ", maxSplits: 1)
        refusal = result & 0xFF == SQLITE_CONSTRAINT ? (message, parts.last.map(String.init)) : nil
        return switch result & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            DatabaseError(kind: .busy, reason: "another program holds the lock of the database; end its transaction")
        case SQLITE_IOERR where Self.readFaults.contains(unsafe sqlite3_extended_errcode(handle) >> 8):
            DatabaseError(kind: .other, reason: "the database cannot be read: \(message)")
        case SQLITE_FULL, SQLITE_IOERR:
            DatabaseError(kind: .noSpace, reason: "the database cannot be written to: \(message)")
        case SQLITE_READONLY where access == .read, SQLITE_CANTOPEN where access == .read:
            DatabaseError(
                kind: .readOnly,
                reason:
                    "the file cannot be opened; check that the server may read it. If its journal mode is WAL, the server must also have permission to write to its folder, where SQLite keeps the index of the log"
            )
        case SQLITE_READONLY:
            DatabaseError(
                kind: .readOnly,
                reason:
                    "the database is read-only; give the server permission to write to it and to its folder, where SQLite keeps its log"
            )
        case SQLITE_CANTOPEN:
            DatabaseError(
                kind: .other,
                reason:
                    "the file cannot be opened; check that it exists, and that the server may read it and write to its folder, where SQLite keeps its log"
            )
        case SQLITE_NOTADB: DatabaseError(kind: .other, reason: "the file is not a SQLite database")
        case SQLITE_CORRUPT:
            DatabaseError(
                kind: .other,
                reason: "the file is damaged; restore it from a backup, or repair it with 'sqlite3 .recover'")
        case SQLITE_CONSTRAINT: DatabaseError(kind: .other, reason: "the database refuses the change: \(message)")
        case SQLITE_TOOBIG: DatabaseError(kind: .tooLarge, reason: "a value is too large to be read")
        case SQLITE_INTERRUPT: DatabaseError(kind: .timeout, reason: "the statement exceeded its time limit")
        case SQLITE_PERM, SQLITE_AUTH: DatabaseError(kind: .other, reason: "there is no permission to open the file")
        default: DatabaseError(kind: .other, reason: "the database cannot be read: \(message)")
        }
    }
}

/// Looks at the clock. Returns 1 to interrupt the statement (`sqlite3_progress_handler`).
private func looksAtClock(_ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context = unsafe context else { return 0 }
    return unsafe Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().isInterrupted ? 1 : 0
}

/// A compiled statement (`sqlite3_stmt`).
@safe
package final class SQLiteStatement {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Makes the statement ready to run again. Removes its values, and releases its lock on the database.
    package func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    package func bind(_ values: [DatabaseValue]) {
        for (number, value) in values.enumerated() {
            let place = Int32(number + 1)
            switch value {
            case .null: _ = unsafe sqlite3_bind_null(handle, place)
            case .integer(let value): bind(value, at: place)
            case .real(let value): _ = unsafe sqlite3_bind_double(handle, place, value)
            case .text(let bytes): bind(bytes.span, at: place)
            case .data(let bytes): _ = unsafe shim_bind_blob(handle, place, bytes, Int32(bytes.count))
            }
        }
    }

    func bind(_ number: Int64, at place: Int32) { _ = unsafe sqlite3_bind_int64(handle, place, number) }

    func bind(_ text: Span<UInt8>, at place: Int32) {
        unsafe text.withUnsafeBytes { bytes in
            guard let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                // A null pointer would mean SQL's NULL.
                _ = unsafe shim_bind_text(handle, place, "", 0)
                return
            }
            _ = unsafe shim_bind_text(handle, place, start, Int32(bytes.count))
        }
    }

    package var row: [DatabaseValue] {
        (0..<columnCount).map(value)
    }

    package func value(_ column: Int32) -> DatabaseValue {
        switch kind(column) {
        case .integer: .integer(integer(column))
        case .real: .real(real(column))
        case .null: .null
        case .data: .data(withContent(column, .data) { Array(copying: $0) })
        case .text: .text(withContent(column, .text) { Array(copying: $0) })
        }
    }

    package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Gives the text or the data of a column to a closure, without a copy.
    ///
    /// - Parameter kind: the kind of the value.
    package func withContent<Result, Failure: Error>(
        _ column: Int32, _ kind: DatabaseValue.Kind, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let content =
            kind == .data
            ? unsafe sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
            : unsafe sqlite3_column_text(handle, column)
        guard let start = unsafe content else { return try body([UInt8]().span) }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return try body(unsafe Span(_unsafeStart: start, count: count))
    }

    /// The number of columns of a result.
    package var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

    /// The names of the columns of a result.
    package var columnNames: [String] {
        (0..<columnCount).map { number in
            guard let name = unsafe sqlite3_column_name(handle, number) else { return "" }
            return unsafe String(cString: name)
        }
    }

    /// The kind of a value.
    package func kind(_ column: Int32) -> DatabaseValue.Kind {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_NULL: .null
        case SQLITE_BLOB: .data
        default: .text
        }
    }

    package func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }
}
