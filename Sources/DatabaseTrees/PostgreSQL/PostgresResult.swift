internal import Bytes
internal import CPostgres

/// The result of one statement. It owns a PGresult.
@safe
struct PostgresResult: ~Copyable {
    private let handle: OpaquePointer

    /// - Returns: nil if `handle` is nil.
    init?(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe PQclear(handle) }

    var status: ExecStatusType { unsafe PQresultStatus(handle) }

    /// The name of the command, such as `COMMIT`. For some commands, the number of rows follows: `DELETE 2`.
    var command: String { unsafe String(cString: PQcmdStatus(handle)) }

    /// The number of rows.
    var count: Int { Int(unsafe PQntuples(handle)) }

    /// The number of columns.
    var columnCount: Int { Int(unsafe PQnfields(handle)) }

    /// The name of a column.
    func name(ofColumn column: Int) -> String {
        guard let name = unsafe PQfname(handle, Int32(column)) else { return "" }
        return unsafe String(cString: name)
    }

    /// The object identifier of a column's type. For a domain, it is the identifier of the base type.
    func type(ofColumn column: Int) -> UInt32 { unsafe PQftype(handle, Int32(column)) }

    /// A value that other statements can compare with columns: an integer, data, or the text of any other type.
    func value(_ row: Int, column: Int) -> DatabaseValue {
        guard let bytes = copy(row, column: column) else { return .null }
        let type = type(ofColumn: column)
        if Self.integerTypes.contains(type), let number = Int64(String(decoding: bytes, as: UTF8.self)) {
            return .integer(number)
        }
        if type == Self.dataType, let data = PostgresRow.data(bytes) { return .data(data) }
        return .text(bytes)
    }

    /// The types `int8`, `int2`, `int4` and `oid`.
    private static let integerTypes: [UInt32] = [20, 21, 23, 26]
    /// The type `bytea`.
    private static let dataType: UInt32 = 17

    /// The values of all rows.
    var rows: [[DatabaseValue]] {
        let columns = columnCount
        var rows: [[DatabaseValue]] = []
        rows.reserveCapacity(count)
        for row in 0..<count {
            var values: [DatabaseValue] = []
            values.reserveCapacity(columns)
            for column in 0..<columns { values.append(value(row, column: column)) }
            rows.append(values)
        }
        return rows
    }

    /// The bytes of a value; nil for NULL.
    func copy(_ row: Int, column: Int) -> [UInt8]? {
        let (row, column) = (Int32(row), Int32(column))
        guard unsafe PQgetisnull(handle, row, column) == 0, let value = unsafe PQgetvalue(handle, row, column) else {
            return nil
        }
        let count = Int(unsafe PQgetlength(handle, row, column))
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: count))
    }

    /// A part of an error, by its letter in the protocol (`PG_DIAG_…`, which are macros).
    enum ErrorField: UInt8 {
        case state = 0x43
        case message = 0x4D
        case constraint = 0x6E
        case position = 0x50
    }

    /// A part of the error; nil if the server did not send it.
    func error(_ field: ErrorField) -> String? {
        guard let text = unsafe PQresultErrorField(handle, Int32(field.rawValue)) else { return nil }
        return unsafe String(cString: text)
    }
}

/// A row of a statement's result.
package final class PostgresRow {
    private let result: PostgresResult

    init(_ result: consuming PostgresResult) { self.result = result }

    /// The number of columns.
    package var columnCount: Int { result.columnCount }

    /// The text of a value; nil for NULL.
    package func bytes(_ column: Int) -> [UInt8]? {
        result.copy(0, column: column)
    }

    /// The text of a value; nil for NULL.
    package func string(_ column: Int) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

    /// A whole number; nil for NULL.
    package func number(_ column: Int) -> Int? { string(column).flatMap { Int($0) } }

    /// A truth value; false for NULL.
    package func flag(_ column: Int) -> Bool { bytes(column) == [UInt8(ascii: "t")] }

    /// A value that other statements can compare with columns: an integer, data, or the text of any other type.
    package func value(_ column: Int) -> DatabaseValue { result.value(0, column: column) }

    package var values: [DatabaseValue] { (0..<columnCount).map(value) }

    /// Returns the data for a hexadecimal form such as `\x00ff`; nil for any other text.
    package static func data(_ text: [UInt8]) -> [UInt8]? {
        guard text.starts(with: "\\x".utf8) else { return nil }
        return [UInt8](hexadecimal: text.span.extracting(2...))
    }
}
