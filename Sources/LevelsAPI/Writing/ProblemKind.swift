/// A kind of problem, with a page at `/problems/<name>`.
final class ProblemKind: Sendable {
    let name: String
    let status: Int
    let title: String
    /// The header lines of each problem of this kind.
    let headers: HeaderLines
    /// The header fields of some problems of this kind.
    let sometimes: [String]
    /// The members of problems of this kind. A problem with a status from 500 also contains the `id` of the request.
    let members: [String]
    /// The requests that can get a problem of this kind; empty if operations name this kind themselves.
    let requests: Set<Requests>
    /// Whether `HTTPServer` detects problems of this kind. `HTTPServer` gives only their status.
    let isOfHTTP: Bool
    /// The meaning of the problem, and advice.
    let explanation: String

    private init(
        _ name: String, status: Int, title: String? = nil, headers: HeaderLines = [], retryAfter seconds: Int? = nil,
        sometimes: [String] = [], members: [String] = [], of requests: Set<Requests> = [], isOfHTTP: Bool = false,
        _ explanation: String
    ) {
        self.name = name
        self.status = status
        self.title = title ?? name.prefix(1).uppercased() + name.dropFirst().replacing("-", with: " ")
        self.headers = headers + (seconds.map { [("Retry-After", "\($0)")] } ?? [])
        self.sometimes = sometimes
        self.members = members
        self.requests = requests
        self.isOfHTTP = isOfHTTP
        self.explanation = explanation
    }

    /// The requests that can get a problem of a kind.
    enum Requests {
        case all
        /// Requests with the path of an item.
        case items
        /// Requests that read `If-Match`.
        case conditional
        /// Requests that can wait.
        case waiting
        /// Requests that only read, and get answers in several content codings.
        case coded
        /// Requests that only read, if reading needs a token.
        case reads
        case edits
        /// Edits that are saved.
        case saves
        /// Edits with a body.
        case bodies
        /// The replacement of the whole document.
        case documents
        /// Requests with a method that the description lacks.
        case otherMethods
        /// No described request: a slow request is cut off, and a request of a version other than HTTP/1.x is a bad
        /// request.
        case none
    }

    /// All kinds, in the order in which they are listed. A new kind must be added here.
    static let all: [ProblemKind] = [
        .badRequest, .badPath, .badParameter, .noSuchItem, .noSuchRoute, .noSuchFile, .methodNotAllowed,
        .notRepresentable, .revisionGone, .revisionNotHere, .notAcceptable, .requestTimeout, .preconditionFailed,
        .preconditionRequired, .contentTooLarge, .uriTooLong, .rangeNotSatisfiable, .misdirectedRequest,
        .headerTooLarge,
        .notImplemented, .versionNotSupported, .internalFault, .notReady, .tooManyWaiters, .tooBusy,
        .outOfMemory, .tooManyFiles, .tooManyAnswers, .malformedContent, .unauthorized, .wrongToken,
        .editingOff, .foreignOrigin, .conflict, .lengthRequired, .unsupportedMediaType, .invalidContent,
        .documentRefused, .tooManyAttempts, .saveFailed, .databaseAway, .tooManyEdits, .tooManyBodies,
        .unfinishedEdit, .stopping, .draining, .insufficientStorage, .needsIndex, .queryTimeout, .unreadableDatabase,
    ]

    /// The kind with a name; nil for an unknown name.
    static func named(_ name: String) -> ProblemKind? { all.first { $0.name == name } }

    /// The kind for a status from `HTTPServer`.
    static func of(status: Int) -> ProblemKind { all.first { $0.status == status && $0.isOfHTTP } ?? badRequest }
}

extension ProblemKind: Hashable {
    static func == (one: ProblemKind, other: ProblemKind) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ProblemKind {
    static let badRequest = ProblemKind(
        "bad-request", status: 400, of: [.all], isOfHTTP: true,
        "The request violates HTTP/1.1 (RFC 9112); 'detail' says how. The connection is closed after the response.")
    static let badPath = ProblemKind(
        "bad-path", status: 400, of: [.items],
        "A segment of the path is not percent-encoded UTF-8. Follow the links in the answers: they are always valid.")
    static let badParameter = ProblemKind(
        "bad-parameter", status: 400, members: ["parameter", "allowed"], of: [.all],
        "A query parameter is unknown, malformed or repeated; 'parameter' names it, and 'allowed' lists the known ones."
    )
    static let noSuchItem = ProblemKind(
        "no-such-item", status: 404, members: ["nearest", "edit"], of: [.items],
        "No item has this path. 'nearest' links to the nearest existing level above it. The document may have changed.")
    static let noSuchRoute = ProblemKind(
        "no-such-route", status: 404, members: ["allowed"],
        "Nothing is served at this path. Start with GET /levels/ and follow the links.")
    static let noSuchFile = ProblemKind(
        "no-such-file", status: 404,
        "The assets folder beside the document has no such file that can be read. Hidden files and files outside of the folder are never served."
    )
    static let methodNotAllowed = ProblemKind(
        "method-not-allowed", status: 405, sometimes: ["Allow"], members: ["allowed"], of: [.otherMethods],
        "This resource does not allow the method. The header field Allow lists the allowed methods.")
    static let notRepresentable = ProblemKind(
        "not-representable", status: 406, members: ["allowed"],
        "The answer contains text that the requested format cannot represent, such as control characters in XML. Request another format."
    )
    static let revisionGone = ProblemKind(
        "revision-gone", status: 410, members: ["reset", "revision", "follow"], of: [.saves],
        "The server does not know this revision: it was restarted, or its history does not reach back that far, or the revision belongs to another history. Reload what you show, and continue from 'revision'."
    )
    static let needsIndex = ProblemKind(
        "needs-index", status: 422, title: "No index", members: ["parameter", "create"],
        "The table is too large to be looked through for each request, and no index gives the order or the rows that 'parameter' asks for. 'create' is the statement that makes one."
    )
    static let queryTimeout = ProblemKind(
        "query-timeout", status: 503, retryAfter: 1,
        "The database needed more time for the answer than --query-timeout allows; its statement was stopped. Ask for less, or add an index."
    )
    static let unreadableDatabase = ProblemKind(
        "database-unreadable", status: 503, retryAfter: 1,
        "The database cannot be read now: it is away, another program holds its lock, or its file is damaged. Repeat the request after the seconds in Retry-After."
    )
    static let revisionNotHere = ProblemKind(
        "revision-not-here", status: 503, retryAfter: 1, members: ["revision"], of: [.saves],
        "The server has waited for the revision that the request names, and does not have it yet. 'revision' is its newest revision. Repeat the request after the seconds in Retry-After."
    )
    static let notAcceptable = ProblemKind(
        "not-acceptable", status: 406, members: ["allowed"], of: [.coded],
        "The request accepts none of the available content codings; 'allowed' lists them. Omit Accept-Encoding, or name one of them."
    )
    static let requestTimeout = ProblemKind(
        "request-timeout", status: 408, of: [.none], isOfHTTP: true,
        "The request did not arrive completely in time. Send it again, faster.")
    static let preconditionFailed = ProblemKind(
        "precondition-failed", status: 412, members: ["current", "currentFields", "edit"], of: [.conditional, .saves],
        "A condition of the request, If-Match or If-None-Match, does not hold. 'current' is the target's current tag: load the target again, and repeat the request with that tag, or an edit of an item with 'currentFields' in quotes."
    )
    static let preconditionRequired = ProblemKind(
        "precondition-required", status: 428, members: ["current", "currentFields", "edit"],
        "Another item of the level has the same Key or title, so the path leads to that item when this item is gone or has another title, and a repeated request would change or delete it. Repeat the request with 'current', or with 'currentFields' in quotes, in If-Match (in a step of POST /edits: in 'ifMatch')."
    )
    static let contentTooLarge = ProblemKind(
        "content-too-large", status: 413, of: [.all], isOfHTTP: true,
        "The body of the request is larger than the server accepts.")
    static let uriTooLong = ProblemKind(
        "uri-too-long", status: 414, title: "URI too long", of: [.all], isOfHTTP: true,
        "The request line is longer than the server accepts: 8 KiB. Name fewer fields or conditions.")
    static let rangeNotSatisfiable = ProblemKind(
        "range-not-satisfiable", status: 416, sometimes: ["Content-Range"],
        "None of the ranges in Range is in the file. The header field Content-Range gives the length of the file.")
    static let misdirectedRequest = ProblemKind(
        "misdirected-request", status: 421, of: [.all], isOfHTTP: true,
        "The request names a host that this server does not answer to. A web page causes this if its host name resolves to the server's address. The operator can list the host in --hosts."
    )
    static let headerTooLarge = ProblemKind(
        "header-too-large", status: 431, of: [.all], isOfHTTP: true,
        "The request line and the header fields together are larger than the server accepts: 8 KiB in at most 100 fields, with short cookies."
    )
    static let notImplemented = ProblemKind(
        "not-implemented", status: 501, of: [.all], isOfHTTP: true,
        "The request uses a part of HTTP that this server does not implement.")
    static let versionNotSupported = ProblemKind(
        "version-not-supported", status: 505, title: "HTTP version not supported", of: [.none], isOfHTTP: true,
        "The server supports HTTP/1.1 and HTTP/1.0.")
    static let internalFault = ProblemKind(
        "internal-fault", status: 500, members: ["id"], of: [.all],
        "The server failed. 'id' identifies the failure in its log; report it to the server's operator.")
    static let notReady = ProblemKind(
        "not-ready", status: 503, retryAfter: 1, of: [.all],
        "The document is not loaded yet. Try again in a moment.")
    static let tooManyWaiters = ProblemKind(
        "too-many-waiters", status: 503, retryAfter: 5, of: [.waiting],
        "The limit of waiting requests is reached. Send the request without waiting, or repeat it after the seconds in Retry-After."
    )
    static let tooBusy = ProblemKind(
        "too-busy", status: 503, sometimes: ["Retry-After"],
        "Too many requests that look through many items, such as searches, are ahead of this one. Repeat it after the seconds in Retry-After; requests for plain levels are still answered."
    )
    static let outOfMemory = ProblemKind(
        "out-of-memory", status: 503, retryAfter: 5, members: ["edit"], of: [.all],
        "There is not enough memory for the answer, or for the edit, and nothing has changed. Repeat the request after the seconds in Retry-After, or ask for less: a page with 'limit', or fewer fields."
    )
    static let tooManyFiles = ProblemKind(
        "too-many-files", status: 503, retryAfter: 5,
        "The limit of files that are sent at the same time is reached. Repeat the request after the seconds in Retry-After."
    )
    static let tooManyAnswers = ProblemKind(
        "too-many-answers", status: 503, retryAfter: 2,
        "The answers that are being sent take all the memory that they may have. Ask for fewer rows with 'limit', or repeat the request after the seconds in Retry-After; short answers are still sent."
    )
    static let malformedContent = ProblemKind(
        "malformed-content", status: 400, members: ["line", "column", "offset"], of: [.bodies],
        "The body is not in the format that Content-Type names. 'line' and 'column' (both from 1), or 'offset' in a binary property list, are the place."
    )
    static let unauthorized = ProblemKind(
        "unauthorized", status: 401, headers: [("WWW-Authenticate", "Bearer")], of: [.reads, .edits],
        "The request needs the header field 'Authorization: Bearer TOKEN', with a token that the server's operator gives out: every edit does, and reading too if the operator wants it."
    )
    static let wrongToken = ProblemKind(
        "wrong-token", status: 403, of: [.reads, .edits],
        "The token in Authorization is not one that allows edits here; it may have been taken back.")
    static let editingOff = ProblemKind(
        "editing-off", status: 403, of: [.edits],
        "This server has no edit token, so nobody can edit. Its operator can set --edit-token-file or DRILLDOWN_EDIT_TOKEN."
    )
    static let foreignOrigin = ProblemKind(
        "foreign-origin", status: 403, of: [.edits],
        "A web page may edit only if it comes from this server, or if --cors-origins lists its origin; '*' lets pages only read."
    )
    static let conflict = ProblemKind(
        "conflict", status: 409, members: ["edit"], of: [.saves],
        "The edit is in conflict with the document as it is, or its place cannot be edited; 'detail' says why. Nothing has changed."
    )
    static let lengthRequired = ProblemKind(
        "length-required", status: 411, of: [.bodies],
        "The request needs a body, announced by Content-Length or Transfer-Encoding.")
    static let unsupportedMediaType = ProblemKind(
        "unsupported-media-type", status: 415, sometimes: ["Accept-Patch", "Accept-Encoding"], members: ["allowed"],
        of: [.bodies],
        "The body has a type, a charset or a coding that the server does not read; 'allowed' lists the types.")
    static let invalidContent = ProblemKind(
        "invalid-content", status: 422, members: ["pointer", "edit", "allowed", "constraint"], of: [.saves],
        "The body is well-formed but breaks a rule; 'pointer' (RFC 6901) leads to the place, 'edit' is the number of the step, and 'allowed' lists the valid values; 'constraint' names a rule of the database. Nothing has changed."
    )
    static let documentRefused = ProblemKind(
        "document-refused", status: 422,
        "The source was read again and refused; 'detail' says where and why. The version before is still served.")
    static let tooManyAttempts = ProblemKind(
        "too-many-attempts", status: 429, sometimes: ["Retry-After"], of: [.reads, .edits],
        "Many wrong tokens came from this address. Wait for the seconds in Retry-After; the right token is accepted at any time."
    )
    static let saveFailed = ProblemKind(
        "save-failed", status: 500, members: ["failure"], of: [.saves],
        "The edit could not be saved, so nothing has changed. 'failure' is its name in the server's log; report it to the server's operator."
    )
    static let databaseAway = ProblemKind(
        "database-away", status: 503, retryAfter: 1, of: [.saves],
        "The server has no connection to the database that contains the document, so nothing has changed. Reads are still answered. Repeat the edit after the seconds in Retry-After."
    )
    static let tooManyEdits = ProblemKind(
        "too-many-edits", status: 503, retryAfter: 1, of: [.edits],
        "The limit of edits in progress is reached, or another program holds the lock of the document; nothing has changed. Repeat the edit after the seconds in Retry-After."
    )
    static let tooManyBodies = ProblemKind(
        "too-many-bodies", status: 503, retryAfter: 2, of: [.documents], isOfHTTP: true,
        "The server receives one large document at a time. Repeat the request after the seconds in Retry-After.")
    static let unfinishedEdit = ProblemKind(
        "unfinished-edit", status: 503, of: [.edits],
        "The request was not done within five minutes, or the server stopped meanwhile; it may still be done. Look at the document before you repeat it."
    )
    static let stopping = ProblemKind(
        "stopping", status: 503, retryAfter: 1, of: [.edits, .waiting],
        "The server is stopping: the edit was not made, or the wait is over early. Repeat the request when it serves again."
    )
    static let draining = ProblemKind(
        "draining", status: 503, retryAfter: 1,
        "The server stops soon. It still answers all requests; only /readyz reports this problem, so that new requests go to another server."
    )
    static let insufficientStorage = ProblemKind(
        "insufficient-storage", status: 507, of: [.saves],
        "The disk is full, so the edit was not saved; nothing has changed. Make room, and repeat it.")
}
