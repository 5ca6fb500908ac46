/// An answer that cannot be sent; the client gets a 500 in its place, or its connection is cut.
public struct UnsentAnswer: Sendable, CustomStringConvertible {
    /// What the 500 names it by.
    public let id: String
    /// The method of the request.
    public let method: Method
    /// The raw target of the request.
    public let target: String
    /// The status of the answer.
    public let status: Int
    /// The bytes of its header lines.
    public let headerSize: Int
    /// Whether the header is too long for the memory of the connection; otherwise the library refused the answer.
    public let isTooLong: Bool

    public var description: String {
        // A target that is at fault may hold any bytes, and be as long as a request.
        let printable = target.unicodeScalars.prefix(80).map { " "..."~" ~= $0 ? Character($0) : "?" }
        let place = String(printable) + (target.unicodeScalars.count > 80 ? "…" : "")
        let reason =
            isTooLong
            ? "its header lines, \(headerSize) bytes, exceed the memory of the connection"
            : "libmicrohttpd refused it"
        let request = "\("\(method)".uppercased()) \(place)"
        return "the answer to \(request), status \(status), cannot be sent: \(reason) (id \(id))"
    }
}
