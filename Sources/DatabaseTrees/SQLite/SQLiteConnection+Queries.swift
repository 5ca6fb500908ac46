internal import CSQLite
internal import Glibc

/// Queries that come from a document or an address, and so may be hostile.
extension SQLiteConnection {
    /// Checks that a text is one SELECT that only reads.
    ///
    /// - Returns: the text of the statement alone, and the names of its columns; nil for any other text.
    package func readingQuery(_ text: String) throws(DatabaseError) -> (text: String, columns: [String])? {
        _ = unsafe sqlite3_set_authorizer(handle, allowsReading, nil)
        defer { _ = unsafe sqlite3_set_authorizer(handle, nil, nil) }
        let bytes = Array(text.utf8) + [0]
        guard let end = try end(ofStatementIn: bytes, from: 0) else { return nil }
        // Only spaces and comments may follow.
        guard try self.end(ofStatementIn: bytes, from: end) == nil, !bytes.dropLast().contains(0) else { return nil }
        var single = Array(bytes[..<end])
        while let last = single.last, [0, 9, 10, 13, 32, UInt8(ascii: ";")].contains(last) { single.removeLast() }
        let sql = String(decoding: single, as: UTF8.self)
        let statement = try statement(sql)
        let isReading =
            unsafe sqlite3_stmt_readonly(statement.handle) != 0 && sqlite3_stmt_isexplain(statement.handle) == 0
        guard isReading, statement.columnCount > 0 else { return nil }
        return (sql, statement.columnNames)
    }

    /// Returns the end of the first statement after an offset; nil if no statement follows.
    private func end(ofStatementIn bytes: [UInt8], from start: Int) throws(DatabaseError) -> Int? {
        var end = start
        var result = SQLITE_OK
        var isStatement = false
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return }
            unsafe (first + start).withMemoryRebound(to: CChar.self, capacity: bytes.count - start) { text in
                var compiled: OpaquePointer?
                var rest: UnsafePointer<CChar>?
                result = unsafe sqlite3_prepare_v3(handle, text, -1, 0, &compiled, &rest)
                isStatement = unsafe compiled != nil
                unsafe sqlite3_finalize(compiled)
                if let rest = unsafe rest { end = unsafe start + (rest - text) }
            }
        }
        guard result == SQLITE_OK else { throw failure(result) }
        return isStatement ? end : nil
    }
}

/// Allows only the actions of a SELECT that reads tables (`sqlite3_set_authorizer`).
private func allowsReading(
    _: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: return SQLITE_OK
    case SQLITE_READ:
        // A table-valued function with this prefix runs a PRAGMA.
        guard let table = unsafe first, unsafe strncasecmp(table, "pragma_", 7) != 0 else { return SQLITE_DENY }
        return SQLITE_OK
    case SQLITE_FUNCTION:
        guard let name = unsafe second, unsafe strcasecmp(name, "load_extension") != 0 else { return SQLITE_DENY }
        return SQLITE_OK
    default: return SQLITE_DENY
    }
}
