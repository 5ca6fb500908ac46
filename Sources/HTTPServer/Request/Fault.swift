/// Why a request is refused before the responder sees it.
struct Fault {
    let status: Int
    /// A sentence for the client.
    let reason: String

    private init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static var requestLine: Fault {
        Fault(400, "The request line is not a method, a target and a version with one space between them.")
    }
    static var method: Fault { Fault(400, "The method holds a character that no method can have.") }
    static var targetCharacter: Fault {
        Fault(400, "The request target holds a space, a control character or a byte beyond ASCII; percent-encode it.")
    }
    static var targetForm: Fault {
        Fault(400, "The request target must begin with '/', or be an http URL; only OPTIONS may ask for '*'.")
    }
    static var proxy: Fault { Fault(501, "This server is not a proxy: it opens no tunnels.") }
    static var lineEnding: Fault {
        Fault(400, "The header holds a folded line, a null character, or a line that ends without a carriage return.")
    }
    static var fieldName: Fault {
        Fault(400, "A field name holds a character that none can have, or ends in white space.")
    }
    static var fieldValue: Fault { Fault(400, "A field value holds a control character.") }
    static func headerTooLong(limit: Int) -> Fault {
        Fault(431, "The request line and the header together are longer than \(limit) bytes.")
    }
    static func tooManyLines(_ count: Int) -> Fault {
        Fault(
            431,
            "The header of \(count) lines needs more memory than a request may have; send fewer lines, or fewer cookies."
        )
    }
    static var hostMissing: Fault { Fault(400, "A request in HTTP/1.1 needs a Host field.") }
    static var host: Fault { Fault(400, "The Host field is not a host name or an address.") }
    static func repeated(_ name: FieldName) -> Fault {
        Fault(400, "The field \(name.lowercased) stands more than once.")
    }
    static var contentLength: Fault { Fault(400, "The Content-Length is not one number.") }
    static var twoLengths: Fault { Fault(400, "Content-Length and Transfer-Encoding exclude each other.") }
    static var transferEncoding: Fault { Fault(501, "The only transfer coding that this server decodes is 'chunked'.") }
    static var transferEncodingSpace: Fault {
        Fault(501, "The body cannot be decoded, as white space follows 'chunked' in Transfer-Encoding; leave it out.")
    }
    static var transferEncodingVersion: Fault { Fault(400, "There is no Transfer-Encoding in HTTP/1.0.") }
    static var trailer: Fault { Fault(400, "The trailer holds a field that none may have.") }
    static func bodyTooLong(limit: Int) -> Fault { Fault(413, "The body is longer than \(limit) bytes.") }
}
