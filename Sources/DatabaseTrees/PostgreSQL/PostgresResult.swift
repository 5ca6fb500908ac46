internal import CPostgres

/// The result of one statement: the owner of a PGresult.
@safe
struct PostgresResult: ~Copyable {
    private let handle: OpaquePointer

    /// - Returns: nil without a result.
    init?(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe PQclear(handle) }

    var status: ExecStatusType { unsafe PQresultStatus(handle) }

    /// The name of the command, and how many rows it has changed, such as `COMMIT` and `DELETE 2`.
    var command: String { unsafe String(cString: PQcmdStatus(handle)) }

    /// The number of rows.
    var count: Int { Int(unsafe PQntuples(handle)) }

    /// The bytes of a value, which are valid as long as the result.
    @_lifetime(borrow self)
    func bytes(_ row: Int, column: Int) -> Span<UInt8> {
        let count = Int(unsafe PQgetlength(handle, Int32(row), Int32(column)))
        let start = unsafe UnsafeRawPointer(PQgetvalue(handle, Int32(row), Int32(column)))
        let buffer = unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
        return unsafe _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
    }

    func isNull(_ row: Int, column: Int) -> Bool { unsafe PQgetisnull(handle, Int32(row), Int32(column)) != 0 }

    /// A value as text; nil for NULL.
    func text(_ row: Int, column: Int) -> String? {
        guard !isNull(row, column: column), let value = unsafe PQgetvalue(handle, Int32(row), Int32(column)) else {
            return nil
        }
        return unsafe String(cString: value)
    }

    /// A whole number; nil for NULL.
    func number(_ row: Int, column: Int) -> Int64? { text(row, column: column).flatMap { Int64($0) } }

    /// A truth value; false for NULL.
    func flag(_ row: Int, column: Int) -> Bool { text(row, column: column) == "t" }

    /// A part of an error, by its letter in the protocol (`PG_DIAG_…`, which are macros).
    enum ErrorField: UInt8 {
        case state = 0x43
        case message = 0x4D
        case constraint = 0x6E
    }

    /// A part of the error; nil if the server did not send it.
    func error(_ field: ErrorField) -> String? {
        guard let text = unsafe PQresultErrorField(handle, Int32(field.rawValue)) else { return nil }
        return unsafe String(cString: text)
    }
}
