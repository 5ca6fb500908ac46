/// A response that cannot be sent; the client receives a 500 instead, or its connection is cut.
public struct UnsentAnswer: Sendable, CustomStringConvertible {
    /// The identifier that the 500 shows too.
    public let id: String
    /// The method of the request.
    public let method: Method
    /// The raw target of the request, without what looks like a password or a token.
    public let target: String
    /// The status of the response.
    public let status: Int
    /// The size of its header lines in bytes.
    public let headerSize: Int
    /// Whether the header exceeds the connection's memory; otherwise the library refused the response.
    public let isTooLong: Bool

    /// A sentence for the log, with the request and the reason, on one line.
    public var description: String {
        // An invalid target may contain any bytes, and be as long as a request.
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
