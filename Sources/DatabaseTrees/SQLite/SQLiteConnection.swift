internal import Bytes
internal import CSQLite
internal import Glibc

/// One connection to a SQLite file, with its prepared statements (`sqlite3_open_v2`).
///
/// It waits up to five seconds for a lock of another program.
@safe
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens a file.
    ///
    /// - Parameter creates: whether a missing file is made; without it, one is an error.
    /// - Throws: `DatabaseError` if it cannot be opened.
    init(path: String, creates: Bool = false) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened else { throw DatabaseError(.other, "there is not enough memory to open it") }
        unsafe handle = opened
        guard result == SQLITE_OK else {
            let error = failure(result)
            unsafe sqlite3_close(opened)
            throw error
        }
        _ = unsafe sqlite3_busy_timeout(opened, 5_000)
        _ = unsafe shim_defend(opened)
    }

    deinit {
        statements = [:]
        // A statement that somebody still holds keeps it open until then.
        unsafe sqlite3_close_v2(handle)
    }

    /// Whether the file, or its folder, cannot be written to.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the file at a path begins as a SQLite database does.
    static func isDatabase(_ path: String) -> Bool {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 16)
        guard unsafe pread(descriptor, &head, head.count, 0) == head.count else { return false }
        return head.elementsEqual("SQLite format 3\0".utf8)
    }

    /// Executes statements that return nothing.
    func execute(_ sql: String) throws(DatabaseError) {
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Ends the transaction without its changes; nothing happens outside of one.
    func rollBack() {
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
        _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// A statement, ready to be bound and run; each text is compiled once.
    func statement(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var compiled: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard result == SQLITE_OK, let compiled = unsafe compiled else { throw failure(result) }
        let statement = unsafe SQLiteStatement(compiled)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement to its end.
    func run(_ sql: String, _ values: SQLiteValue...) throws(DatabaseError) { try run(sql, values) }

    func run(_ sql: String, _ values: [SQLiteValue]) throws(DatabaseError) {
        let statement = try statement(sql)
        statement.bind(values)
        while try step(statement) {}
    }

    /// The first row of a query.
    func first(_ sql: String, _ values: SQLiteValue...) throws(DatabaseError) -> [SQLiteValue]? {
        let statement = try statement(sql)
        statement.bind(values)
        defer { statement.reset() }
        guard try step(statement) else { return nil }
        return statement.row
    }

    /// All rows of a query.
    func rows(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteStatement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let statement = try statement(sql)
        statement.bind(values)
        defer { statement.reset() }
        while try step(statement) { try body(statement) }
    }

    /// Moves to the next row; false at the end.
    func step(_ statement: SQLiteStatement) throws(DatabaseError) -> Bool {
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

    /// The latest error if a constraint or a trigger has refused a row: the message and the constraint's name.
    private(set) var refusal: (message: String, constraint: String?)?

    private func failure(_ result: Int32) -> DatabaseError {
        let message = unsafe String(cString: sqlite3_errmsg(handle))
        let parts = message.split(separator: "constraint failed: ", maxSplits: 1)
        refusal = result & 0xFF == SQLITE_CONSTRAINT ? (message, parts.last.map(String.init)) : nil
        return switch result & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            DatabaseError(.busy, "another program holds the lock of the database; end its transaction")
        case SQLITE_FULL, SQLITE_IOERR: DatabaseError(.noSpace, "the database cannot be written to: \(message)")
        case SQLITE_READONLY:
            DatabaseError(.readOnly, "the database is read-only; give the server permission to write to it")
        case SQLITE_CANTOPEN:
            DatabaseError(
                .other,
                "the file cannot be opened; check that it exists, and that the server may read it and write to its folder, where SQLite keeps its log"
            )
        case SQLITE_NOTADB: DatabaseError(.other, "the file is not a SQLite database")
        case SQLITE_CORRUPT:
            DatabaseError(.other, "the file is damaged; restore it from a backup, or repair it with 'sqlite3 .recover'")
        case SQLITE_PERM, SQLITE_AUTH: DatabaseError(.other, "there is no permission to open the file")
        default: DatabaseError(.other, "the database cannot be read: \(message)")
        }
    }
}

/// A value of a column or of a parameter.
enum SQLiteValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])

    static func text(_ text: String?) -> SQLiteValue { text.map { .text(Array($0.utf8)) } ?? .null }

    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    var string: String? { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
}

/// A compiled statement (`sqlite3_stmt`).
@safe
final class SQLiteStatement {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Makes it ready to run again, and frees its lock.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    func bind(_ values: [SQLiteValue]) {
        for (number, value) in values.enumerated() {
            let place = Int32(number + 1)
            switch value {
            case .null: _ = unsafe sqlite3_bind_null(handle, place)
            case .integer(let value): _ = unsafe sqlite3_bind_int64(handle, place, value)
            case .real(let value): _ = unsafe sqlite3_bind_double(handle, place, value)
            case .text(let bytes): bind(bytes.span, at: place)
            }
        }
    }

    func bind(_ text: Span<UInt8>, at place: Int32) {
        unsafe text.withUnsafeBytes { bytes in
            guard let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                // A null pointer would be NULL.
                _ = unsafe shim_bind_text(handle, place, "", 0)
                return
            }
            _ = unsafe shim_bind_text(handle, place, start, Int32(bytes.count))
        }
    }

    var row: [SQLiteValue] {
        let count = unsafe sqlite3_column_count(handle)
        return (0..<count).map(value)
    }

    func value(_ column: Int32) -> SQLiteValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(handle, column))
        case SQLITE_NULL: .null
        default: .text(withText(column) { Array(copying: $0) })
        }
    }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Gives the text of a column to a closure, without a copy.
    func withText<Result, Failure: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return try body([UInt8]().span) }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return try body(unsafe Span(_unsafeStart: start, count: count))
    }
}
