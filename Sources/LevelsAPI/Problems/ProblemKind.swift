/// The kinds of problems, each with a page at `/problems/<name>`.
enum ProblemKind: String, CaseIterable {
    case badRequest = "bad-request"
    case badPath = "bad-path"
    case badParameter = "bad-parameter"
    case noSuchItem = "no-such-item"
    case noSuchRoute = "no-such-route"
    case methodNotAllowed = "method-not-allowed"
    case notRepresentable = "not-representable"
    case revisionGone = "revision-gone"
    case notAcceptable = "not-acceptable"
    case requestTimeout = "request-timeout"
    case preconditionFailed = "precondition-failed"
    case contentTooLarge = "content-too-large"
    case headerTooLarge = "header-too-large"
    case notImplemented = "not-implemented"
    case versionNotSupported = "version-not-supported"
    case internalFault = "internal-fault"
    case notReady = "not-ready"
    case tooManyWaiters = "too-many-waiters"

    var status: Int {
        switch self {
        case .badRequest, .badPath, .badParameter: 400
        case .noSuchItem, .noSuchRoute: 404
        case .methodNotAllowed: 405
        case .notRepresentable, .notAcceptable: 406
        case .requestTimeout: 408
        case .revisionGone: 410
        case .preconditionFailed: 412
        case .contentTooLarge: 413
        case .headerTooLarge: 431
        case .internalFault: 500
        case .notImplemented: 501
        case .notReady, .tooManyWaiters: 503
        case .versionNotSupported: 505
        }
    }

    /// The header lines that the status asks for.
    var headers: [(name: String, value: String)] {
        self == .tooManyWaiters ? [("Retry-After", "5")] : []
    }

    var title: String {
        switch self {
        case .badRequest: "Bad request"
        case .badPath: "Bad path"
        case .badParameter: "Bad parameter"
        case .noSuchItem: "No such item"
        case .noSuchRoute: "No such route"
        case .methodNotAllowed: "Method not allowed"
        case .notRepresentable: "Not representable"
        case .revisionGone: "Revision gone"
        case .notAcceptable: "Not acceptable"
        case .requestTimeout: "Request timeout"
        case .preconditionFailed: "Precondition failed"
        case .contentTooLarge: "Content too large"
        case .headerTooLarge: "Header too large"
        case .notImplemented: "Not implemented"
        case .versionNotSupported: "HTTP version not supported"
        case .internalFault: "Internal fault"
        case .notReady: "Not ready"
        case .tooManyWaiters: "Too many waiters"
        }
    }

    /// What it means and what to do, for `/problems/<name>`.
    var explanation: String {
        switch self {
        case .badRequest:
            "The request breaks HTTP/1.1 (RFC 9112); 'detail' says where. The connection is closed after it."
        case .badPath:
            "A segment of the path is not percent-encoded UTF-8. Follow the links in the answers: they are always right."
        case .badParameter:
            "A query parameter is unknown, malformed or stands twice; 'parameter' names it, 'allowed' lists those there are."
        case .noSuchItem:
            "No item has this path. 'nearest' links to the nearest level on the way that exists. The document may have changed."
        case .noSuchRoute: "Nothing is served at this path. Start with GET /levels/ and follow the links."
        case .methodNotAllowed: "This resource does not take the method. The header field Allow lists those it takes."
        case .notRepresentable:
            "The answer holds text that the format asked for cannot carry, such as control characters in XML. Ask for another."
        case .revisionGone:
            "The server does not know this revision: it was restarted, or its history does not reach back so far. Load what you show anew, and go on from 'revision'."
        case .notAcceptable:
            "The request admits none of the content codings that there are; 'allowed' lists them. Leave Accept-Encoding out, or name one."
        case .requestTimeout: "The request did not come to its end in time. Send it again, faster."
        case .preconditionFailed:
            "If-Match names none of the entity tags that the resource has now. 'current' is the one of this representation: load it anew, and ask again with that."
        case .contentTooLarge: "The body of the request is larger than the server takes."
        case .headerTooLarge:
            "The request line and the header fields together are larger than the server takes: 16 KiB, or about 300 short lines."
        case .notImplemented: "The request uses a part of HTTP that is not implemented here."
        case .versionNotSupported: "The server speaks HTTP/1.1 and HTTP/1.0."
        case .internalFault: "The server is at fault. 'id' is in its log too; tell it to whoever runs the server."
        case .notReady: "The document is not loaded yet. Try again in a moment."
        case .tooManyWaiters:
            "As many requests wait for changes as the server lets wait at once. Ask without waiting, or wait again after the seconds in Retry-After."
        }
    }

    /// The kind for a status that the server found by itself.
    static func of(status: Int) -> ProblemKind {
        switch status {
        case 408: .requestTimeout
        case 413: .contentTooLarge
        case 431: .headerTooLarge
        case 501: .notImplemented
        case 505: .versionNotSupported
        default: .badRequest
        }
    }
}
