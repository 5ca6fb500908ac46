/// One answered request, for an access log.
public struct AccessEntry: Sendable {
    /// The identifier of the request: 32 hexadecimal digits.
    ///
    /// This is the trace identifier that the request carries (W3C Trace Context), or a new identifier if it carries no
    /// trace.
    public let id: String
    /// The client's address. Behind a trusted proxy, this is the address named by the proxy's header fields.
    public let peer: String
    /// The method.
    public let method: Method
    /// The raw target, without the base path, and with passwords and tokens hidden.
    public let target: String
    /// The status of the response.
    public let status: Int
    /// The size of the body in bytes, without the framing of chunks; 0 for HEAD.
    ///
    /// For a stream, this is the number of bytes that were sent. For any other body, it is the size of the whole body,
    /// even if the response was cut off.
    public let size: Int
    /// The time from the request line to the last byte of the response.
    public let duration: Duration
    /// Whether the whole response was sent.
    public let completed: Bool
}

extension AccessEntry {
    init(ended: EndedRequest, of request: Request, id: String) {
        self.init(
            id: id, peer: request.client, method: ended.method, target: LoggedTarget.text(of: request.targetText),
            status: ended.status, size: ended.size, duration: .nanoseconds(ended.nanoseconds),
            completed: ended.isComplete)
    }
}

/// An internal fault in the answer to a request, for a log. The client sees only the identifier.
public struct RequestFault: Sendable, CustomStringConvertible {
    /// The kinds of faults.
    public enum Kind: Sendable {
        /// The answer has the status 500.
        case failed
        /// An answer with this status cannot be sent; the client receives a 500 instead, or its connection is cut. If
        /// the header lines exceed the connection's memory, `headerSize` is their size in bytes. Otherwise, the library
        /// refused the answer.
        case unsent(status: Int, headerSize: Int?)
    }

    /// The identifier of the request.
    public let id: String
    /// The method of the request.
    public let method: Method
    /// The target of the request, with passwords and tokens hidden.
    public let target: String
    /// The kind of the fault.
    public let kind: Kind

    /// A sentence for the log, with the request and the reason, on one line.
    public var description: String {
        guard case .unsent(let status, let headerSize) = kind else {
            return "the request \(method.name) \(target) failed with an internal fault (id \(id))"
        }
        // An invalid target may contain any bytes, and may be as long as a whole request header.
        let printable = target.unicodeScalars.prefix(80).map { " "..."~" ~= $0 ? Character($0) : "?" }
        let place = String(printable) + (target.unicodeScalars.count > 80 ? "…" : "")
        let reason =
            headerSize.map { "its header lines, \($0) bytes, exceed the memory of the connection" }
            ?? "libmicrohttpd refused it"
        return "the answer to \(method.name) \(place), status \(status), cannot be sent: \(reason) (id \(id))"
    }
}

/// A target for logs, with passwords and tokens hidden.
///
/// The service reads tokens only from `Authorization`, but a client may put a token into a URL by mistake.
enum LoggedTarget {
    private static let hidden = "***"
    private static let secretNames = ["token", "secret", "password", "authorization", "apikey", "api_key", "api-key"]

    /// The target without user information, and without the values of parameters whose names suggest a secret.
    static func text(of target: String) -> String {
        let target = withoutUser(target)
        guard let mark = target.firstIndex(of: "?") else { return target }
        let parameters = target[target.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        return target[...mark] + parameters.map(withoutSecret).joined(separator: "&")
    }

    private static func withoutUser(_ target: String) -> String {
        guard !target.hasPrefix("/") else { return target }
        let end = target.firstRange(of: "://").map { target[$0.upperBound...].firstIndex { "/?#".contains($0) } }
        guard let at = target[..<((end ?? nil) ?? target.endIndex)].lastIndex(of: "@") else { return target }
        return hidden + target[at...]
    }

    private static func withoutSecret(_ parameter: Substring) -> String {
        guard let sign = parameter.firstIndex(of: "=") else { return String(parameter) }
        let name = decoded(parameter[..<sign]).lowercased()
        return secretNames.contains(where: name.contains) ? parameter[...sign] + hidden : String(parameter)
    }

    /// The name with each percent-encoded byte decoded as one character. This is correct for ASCII, as in the secret
    /// names.
    private static func decoded(_ name: Substring) -> String {
        var rest = name
        var decoded = ""
        while let first = rest.popFirst() {
            if first == "%", let code = UInt8(rest.prefix(2), radix: 16) {
                rest = rest.dropFirst(2)
                decoded.unicodeScalars.append(Unicode.Scalar(code))
            } else {
                decoded.append(first)
            }
        }
        return decoded
    }
}
