/// The reason why a request is refused before it reaches the responder.
struct Fault {
    let status: Int
    /// A sentence for the client.
    let reason: String

    private init(_ status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }

    static var requestLine: Fault {
        Fault(400, reason: "The request line must be a method, a target and a version, separated by single spaces.")
    }
    static var method: Fault { Fault(400, reason: "The method contains a character that is not allowed in a method.") }
    static var targetCharacter: Fault {
        Fault(
            400,
            reason: "The request target contains a space, a control character or a non-ASCII byte; percent-encode it.")
    }
    static var targetForm: Fault {
        Fault(400, reason: "The request target must begin with '/' or be an http URL; only OPTIONS accepts '*'.")
    }
    static var proxy: Fault { Fault(501, reason: "This server is not a proxy and does not open tunnels.") }
    static var lineEnding: Fault {
        Fault(
            400,
            reason:
                "The header contains a folded line, a null character, or a line that ends without a carriage return.")
    }
    static var fieldName: Fault {
        Fault(400, reason: "A field name contains a character that is not allowed there, or ends with white space.")
    }
    static var fieldValue: Fault { Fault(400, reason: "A field value contains a control character.") }
    static var lineTooLong: Fault {
        Fault(414, reason: "The request line is longer than \(RequestMemory.headerLimit) bytes.")
    }
    static var headerTooLong: Fault {
        Fault(
            431, reason: "The request line and the header together are longer than \(RequestMemory.headerLimit) bytes.")
    }
    static func tooManyFields(_ count: Int) -> Fault {
        Fault(431, reason: "The header has \(count) fields, and the server reads at most \(RequestMemory.fieldLimit).")
    }
    static var cookiesTooLong: Fault {
        Fault(431, reason: "The cookies need more memory than a request may use; send fewer or shorter ones.")
    }
    static var hostMissing: Fault { Fault(400, reason: "An HTTP/1.1 request needs a Host field.") }
    static var host: Fault { Fault(400, reason: "The Host field is not a host name or an address.") }
    static func misdirected(_ host: Octets) -> Fault {
        let shown = host.count > 80 ? host[0..<80].text + "…" : host.text
        let name = AllowedHosts.name(in: host)?.text ?? ""
        let option = host.count <= 80 && AllowedHosts.isName(name) ? "--hosts \(name)" : "--hosts"
        return Fault(
            421, reason: "This server does not answer to the host '\(shown)'; its operator can allow it with \(option)."
        )
    }
    static func repeated(_ name: FieldName) -> Fault {
        Fault(400, reason: "The field \(name.lowercased) appears more than once.")
    }
    static var contentLength: Fault { Fault(400, reason: "The Content-Length must be a single number.") }
    static var twoLengths: Fault {
        Fault(400, reason: "A request must not have both Content-Length and Transfer-Encoding.")
    }
    static var transferEncoding: Fault {
        Fault(501, reason: "The only transfer coding that this server supports is 'chunked'.")
    }
    static var transferEncodingSpace: Fault {
        Fault(
            501,
            reason: "The body cannot be decoded, because white space follows 'chunked' in Transfer-Encoding; remove it."
        )
    }
    static var transferEncodingVersion: Fault { Fault(400, reason: "HTTP/1.0 does not have Transfer-Encoding.") }
    static var trailer: Fault {
        Fault(400, reason: "The trailer contains a field that is malformed or not allowed in a trailer.")
    }
    static func bodyTooLong(limit: Int) -> Fault { Fault(413, reason: "The body is longer than \(limit) bytes.") }
    static func chunksTooLong(limit: Int) -> Fault {
        Fault(413, reason: "The body in chunks is longer than \(limit) bytes; announce its size by Content-Length.")
    }
    static var largeBody: Fault {
        Fault(503, reason: "Another large body is being received, or there is no memory for this one. Try again later.")
    }
}
