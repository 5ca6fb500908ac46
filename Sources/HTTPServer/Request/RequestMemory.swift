/// The memory that the library has for the requests of one connection.
///
/// A request is read into the first half. The second half holds a record for each field and each cookie, a copy of the
/// cookies, and the header of the response; if these do not fit, the library cuts the connection.
enum RequestMemory {
    /// The maximum size of the request line and the header together, in bytes.
    static let headerLimit = 8 << 10
    static let fieldLimit = 100
    /// The memory of a connection, in bytes. The library fills all of it with zeros for each request.
    static let size = 2 * headerLimit
    /// The bytes of header lines for which every request leaves room; requests that leave less are refused.
    static let shortHeader = 1 << 10

    /// The size of `struct MHD_HTTP_Header` of libmicrohttpd 0.9.75, and of `struct MHD_HTTP_Req_Header` of 1.0, with
    /// their padding.
    private static let record = 64
    /// The bytes of the status line, of the lines that the library adds, and of the beginning of a chunk.
    private static let automaticLines = 256

    /// The bytes that the library needs for the fields of a request in addition to their text.
    static func records(of fields: borrowing FieldLines) -> Int {
        // One more line may be added, `Connection: close`.
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
