/// The memory that the library has for the requests of one connection.
///
/// A request is read into the first half. The second half holds a record for each field and each cookie, a copy of the
/// cookies, and the header of the response. If the second half is too small for them, the library cuts the connection.
enum RequestMemory {
    /// The maximum size of the request line and the header together, in bytes.
    static let headerLimit = 8 << 10
    static let fieldLimit = 100
    /// The memory of a connection, in bytes. The library fills all of it with zeros for each request.
    static let size = 2 * headerLimit
    /// The size of the response header lines for which each request must leave room, in bytes. Requests that leave less
    /// room are refused.
    static let shortHeader = 1 << 10

    /// The size of `struct MHD_HTTP_Header` of libmicrohttpd 0.9.75, and of `struct MHD_HTTP_Req_Header` of 1.0, with
    /// their padding.
    private static let record = 64
    /// The size of the status line, the lines that the library adds, and the beginning of a chunk, in bytes.
    private static let automaticLines = 256

    /// The number of bytes that the library needs for the fields of a request in addition to their text.
    static func records(of fields: borrowing FieldLines) -> Int {
        // The server may add one more line, `Connection: close`.
        let lines = (fields.count + 1) * record
        guard let cookies = fields.first(.cookie)?.value else { return lines }
        return lines + cookies.count + (cookies.count(where: endsCookie) + 2) * record
    }

    private static func endsCookie(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

    /// Whether the header lines of a response fit beside the records of its request.
    @inline(__always)
    static func hasRoom(forHeader answer: Int, besideRecords records: Int) -> Bool {
        records + answer + automaticLines <= size / 2
    }
}
