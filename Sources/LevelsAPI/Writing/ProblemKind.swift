/// The kinds of problems, each with a page at `/problems/<name>`.
enum ProblemKind: String, CaseIterable {
    case badRequest = "bad-request"
    case badPath = "bad-path"
    case badParameter = "bad-parameter"
    case noSuchItem = "no-such-item"
    case noSuchRoute = "no-such-route"
    case noSuchFile = "no-such-file"
    case methodNotAllowed = "method-not-allowed"
    case notRepresentable = "not-representable"
    case revisionGone = "revision-gone"
    case notAcceptable = "not-acceptable"
    case requestTimeout = "request-timeout"
    case preconditionFailed = "precondition-failed"
    case contentTooLarge = "content-too-large"
    case rangeNotSatisfiable = "range-not-satisfiable"
    case misdirectedRequest = "misdirected-request"
    case headerTooLarge = "header-too-large"
    case notImplemented = "not-implemented"
    case versionNotSupported = "version-not-supported"
    case internalFault = "internal-fault"
    case notReady = "not-ready"
    case tooManyWaiters = "too-many-waiters"
    case tooBusy = "too-busy"
    case outOfMemory = "out-of-memory"
    case tooManyFiles = "too-many-files"
    case tooManyAnswers = "too-many-answers"
    case malformedContent = "malformed-content"
    case unauthorized
    case wrongToken = "wrong-token"
    case editingOff = "editing-off"
    case foreignOrigin = "foreign-origin"
    case conflict
    case lengthRequired = "length-required"
    case unsupportedMediaType = "unsupported-media-type"
    case invalidContent = "invalid-content"
    case documentRefused = "document-refused"
    case tooManyAttempts = "too-many-attempts"
    case saveFailed = "save-failed"
    case tooManyEdits = "too-many-edits"
    case tooManyBodies = "too-many-bodies"
    case unfinishedEdit = "unfinished-edit"
    case stopping
    case draining
    case insufficientStorage = "insufficient-storage"

    var status: Int {
        switch self {
        case .badRequest, .badPath, .badParameter, .malformedContent: 400
        case .unauthorized: 401
        case .wrongToken, .editingOff, .foreignOrigin: 403
        case .noSuchItem, .noSuchRoute, .noSuchFile: 404
        case .methodNotAllowed: 405
        case .notRepresentable, .notAcceptable: 406
        case .requestTimeout: 408
        case .conflict: 409
        case .revisionGone: 410
        case .lengthRequired: 411
        case .preconditionFailed: 412
        case .contentTooLarge: 413
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .misdirectedRequest: 421
        case .invalidContent, .documentRefused: 422
        case .tooManyAttempts: 429
        case .headerTooLarge: 431
        case .internalFault, .saveFailed: 500
        case .notImplemented: 501
        case .notReady, .tooManyWaiters, .tooBusy, .outOfMemory, .tooManyFiles, .tooManyAnswers, .tooManyEdits,
            .tooManyBodies, .unfinishedEdit, .stopping, .draining:
            503
        case .versionNotSupported: 505
        case .insufficientStorage: 507
        }
    }

    /// The header lines that the status requires.
    var headers: [(name: String, value: String)] {
        switch self {
        case .tooManyWaiters, .tooManyFiles, .outOfMemory: [("Retry-After", "5")]
        case .tooManyBodies, .tooManyAnswers: [("Retry-After", "2")]
        case .notReady, .tooManyEdits, .stopping, .draining: [("Retry-After", "1")]
        // RFC 9110, section 11.6.1, and RFC 6750, section 3.
        case .unauthorized: [("WWW-Authenticate", "Bearer")]
        default: []
        }
    }

    /// The name as words.
    var title: String {
        if self == .versionNotSupported { return "HTTP version not supported" }
        return rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("-", with: " ")
    }

    /// What the problem means and what to do about it, for `/problems/<name>`.
    var explanation: String {
        switch self {
        case .badRequest:
            "The request violates HTTP/1.1 (RFC 9112); 'detail' says how. The connection is closed after the response."
        case .badPath:
            "A segment of the path is not percent-encoded UTF-8. Follow the links in the answers: they are always valid."
        case .badParameter:
            "A query parameter is unknown, malformed or repeated; 'parameter' names it, and 'allowed' lists the known ones."
        case .noSuchItem:
            "No item has this path. 'nearest' links to the nearest existing level above it. The document may have changed."
        case .noSuchRoute: "Nothing is served at this path. Start with GET /levels/ and follow the links."
        case .noSuchFile:
            "The assets folder beside the document has no such file that can be read. Hidden files and files outside of the folder are never served."
        case .methodNotAllowed:
            "This resource does not allow the method. The header field Allow lists the allowed methods."
        case .notRepresentable:
            "The answer contains text that the requested format cannot represent, such as control characters in XML. Request another format."
        case .revisionGone:
            "The server does not know this revision: it was restarted, or its history does not reach back that far. Reload what you show, and continue from 'revision'."
        case .notAcceptable:
            "The request accepts none of the available content codings; 'allowed' lists them. Omit Accept-Encoding, or name one of them."
        case .requestTimeout: "The request did not arrive completely in time. Send it again, faster."
        case .preconditionFailed:
            "A condition of the request, If-Match or If-None-Match, does not hold. 'current' is the current tag of what it is about: load that again, and repeat the request with that tag, or an edit of an item with 'currentFields' in quotes."
        case .contentTooLarge: "The body of the request is larger than the server accepts."
        case .rangeNotSatisfiable:
            "None of the ranges in Range is in the file. The header field Content-Range tells the length of the file."
        case .misdirectedRequest:
            "The request names a host that this server does not answer to, as a web page does that gives its own name the server's address. Its operator can list the host in --hosts."
        case .headerTooLarge:
            "The request line and the header fields together are larger than the server accepts: 16 KiB, or about 300 short lines."
        case .notImplemented: "The request uses a part of HTTP that this server does not implement."
        case .versionNotSupported: "The server supports HTTP/1.1 and HTTP/1.0."
        case .internalFault:
            "The server failed. 'id' identifies the failure in its log; report it to the server's operator."
        case .notReady: "The document is not loaded yet. Try again in a moment."
        case .tooManyWaiters:
            "The limit of waiting requests is reached. Send the request without waiting, or repeat it after the seconds in Retry-After."
        case .tooBusy:
            "Too many requests that look through many items, such as searches, are ahead of this one. Repeat it after the seconds in Retry-After; requests for plain levels are still answered."
        case .outOfMemory:
            "There is not enough memory for the answer, or for the edit, and nothing has changed. Repeat the request after the seconds in Retry-After, or ask for less: a page with 'limit', or fewer fields."
        case .tooManyFiles:
            "The limit of files that are sent at once is reached. Repeat the request after the seconds in Retry-After."
        case .tooManyAnswers:
            "The answers that are being sent take all the memory that they may have. Ask for fewer rows with 'limit', or repeat the request after the seconds in Retry-After; short answers are still sent."
        default: explanationOfEditing
        }
    }

    /// The kind for a status that `HTTPServer` has determined.
    static func of(status: Int) -> ProblemKind {
        switch status {
        case 408: .requestTimeout
        case 413: .contentTooLarge
        case 421: .misdirectedRequest
        case 431: .headerTooLarge
        case 503: .tooManyBodies
        case 501: .notImplemented
        case 505: .versionNotSupported
        default: .badRequest
        }
    }
}

extension ProblemKind {
    /// What a problem of an edit means and what to do about it.
    var explanationOfEditing: String {
        switch self {
        case .malformedContent:
            "The body is not in the format that Content-Type names. 'line' and 'column' (both from 1), or 'offset' in a binary property list, are the place."
        case .unauthorized:
            "The request needs the header field 'Authorization: Bearer TOKEN', with a token that the server's operator gives out: every edit does, and reading too if the operator wants it."
        case .wrongToken:
            "The token in Authorization is not one that allows edits here; it may have been taken back."
        case .editingOff:
            "This server has no edit token, so nobody can edit. Its operator can set --edit-token-file or DRILLDOWN_EDIT_TOKEN."
        case .foreignOrigin:
            "A web page may edit only if it comes from this server, or if --cors-origins lists its origin; '*' lets pages only read."
        case .conflict:
            "The edit is in conflict with the document as it is, or its place cannot be edited; 'detail' says why. Nothing has changed."
        case .lengthRequired: "The request needs a body, announced by Content-Length or Transfer-Encoding."
        case .unsupportedMediaType:
            "The body has a type, a charset or a coding that the server does not read; 'allowed' lists the types."
        case .invalidContent:
            "The body is well-formed but breaks a rule; 'pointer' (RFC 6901) leads to the place, 'edit' is the number of the step, and 'allowed' lists what would be right. Nothing has changed."
        case .documentRefused:
            "The source was read again and refused; 'detail' says where and why. The version before is still served."
        case .tooManyAttempts:
            "Many wrong tokens came from this address. Wait for the seconds in Retry-After; the right token is accepted at any time."
        case .saveFailed:
            "The edit could not be saved, so nothing has changed. 'failure' is its name in the server's log; report it to the server's operator."
        case .tooManyEdits:
            "The limit of edits in progress is reached, and nothing has changed. Repeat the edit after the seconds in Retry-After."
        case .tooManyBodies:
            "The server receives one large document at a time. Repeat the request after the seconds in Retry-After."
        case .unfinishedEdit:
            "The request was not done within five minutes, or the server stopped meanwhile; it may still be done. Look at the document before you repeat it."
        case .draining:
            "The server stops soon. It still answers, but new requests should go to another one; that is why only /readyz says so."
        case .stopping: "The server is stopping, and nothing has changed. Repeat the request when it serves again."
        case .insufficientStorage:
            "The disk is full, so the edit was not saved; nothing has changed. Make room, and repeat it."
        default: ""
        }
    }
}
