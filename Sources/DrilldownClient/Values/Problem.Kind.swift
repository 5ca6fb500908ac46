extension Problem {
    /// A kind of problem, identified by the name in the problem's `type`. Servers may know more kinds than these.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name, such as `no-such-item`.
        public let rawValue: String

        /// Creates the kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

// The kinds of problems that the service reports. Its page `/problems/<name>` explains each kind.
extension Problem.Kind {
    /// The request violates HTTP.
    public static let badRequest = Problem.Kind(rawValue: "bad-request")
    /// A path has a key that no item can have, or that is not percent-encoded UTF-8.
    public static let badPath = Problem.Kind(rawValue: "bad-path")
    /// A query parameter is unknown, malformed or meaningless here; `parameter` names it.
    public static let badParameter = Problem.Kind(rawValue: "bad-parameter")
    /// No item has this path; `nearest` is the path of the nearest existing item above it.
    public static let noSuchItem = Problem.Kind(rawValue: "no-such-item")
    /// Nothing is served at this path.
    public static let noSuchRoute = Problem.Kind(rawValue: "no-such-route")
    /// The assets folder lacks a file of this name.
    public static let noSuchFile = Problem.Kind(rawValue: "no-such-file")
    /// The resource does not allow the method.
    public static let methodNotAllowed = Problem.Kind(rawValue: "method-not-allowed")
    /// The answer has text that the requested format cannot represent.
    public static let notRepresentable = Problem.Kind(rawValue: "not-representable")
    /// The server does not know the revision: it has restarted, or its history does not reach back to the revision.
    public static let revisionGone = Problem.Kind(rawValue: "revision-gone")
    /// The server does not yet have the revision that the request names.
    public static let revisionNotHere = Problem.Kind(rawValue: "revision-not-here")
    /// The answer is not available in a format that the request accepts.
    public static let notAcceptable = Problem.Kind(rawValue: "not-acceptable")
    /// The request came too slowly.
    public static let requestTimeout = Problem.Kind(rawValue: "request-timeout")
    /// The item does not have the version that the edit requires; `currentEntityTag` is the item's current version.
    public static let preconditionFailed = Problem.Kind(rawValue: "precondition-failed")
    /// A sibling of the item has the same natural key, so the edit needs `ifMatch`.
    public static let preconditionRequired = Problem.Kind(rawValue: "precondition-required")
    /// The body is larger than the server allows.
    public static let contentTooLarge = Problem.Kind(rawValue: "content-too-large")
    /// The file does not have the requested range.
    public static let rangeNotSatisfiable = Problem.Kind(rawValue: "range-not-satisfiable")
    /// The target of the request is too long.
    public static let uriTooLong = Problem.Kind(rawValue: "uri-too-long")
    /// The server does not serve this host name.
    public static let misdirectedRequest = Problem.Kind(rawValue: "misdirected-request")
    /// The header of the request is too large.
    public static let headerTooLarge = Problem.Kind(rawValue: "header-too-large")
    /// The server does not know the method.
    public static let notImplemented = Problem.Kind(rawValue: "not-implemented")
    /// The server does not speak this version of HTTP.
    public static let versionNotSupported = Problem.Kind(rawValue: "version-not-supported")
    /// The server has a fault; its log has the reason.
    public static let internalFault = Problem.Kind(rawValue: "internal-fault")
    /// The server has not loaded its document yet.
    public static let notReady = Problem.Kind(rawValue: "not-ready")
    /// The limit of waiting requests is reached.
    public static let tooManyWaiters = Problem.Kind(rawValue: "too-many-waiters")
    /// Too many slow requests are waiting before this request.
    public static let tooBusy = Problem.Kind(rawValue: "too-busy")
    /// The server lacks memory for the answer or the edit; nothing has changed.
    public static let outOfMemory = Problem.Kind(rawValue: "out-of-memory")
    /// The limit of files sent at the same time is reached.
    public static let tooManyFiles = Problem.Kind(rawValue: "too-many-files")
    /// The long answers that are being sent use all the memory that is allowed for long answers.
    public static let tooManyAnswers = Problem.Kind(rawValue: "too-many-answers")
    /// The body of an edit is not in the announced format; `line` and `column` are the position of the fault.
    public static let malformedContent = Problem.Kind(rawValue: "malformed-content")
    /// The request needs a token.
    public static let unauthorized = Problem.Kind(rawValue: "unauthorized")
    /// The service does not accept the token, or the token does not allow this request.
    public static let wrongToken = Problem.Kind(rawValue: "wrong-token")
    /// The server was started without an edit token, so nobody can edit.
    public static let editingOff = Problem.Kind(rawValue: "editing-off")
    /// A web page of another origin may not edit.
    public static let foreignOrigin = Problem.Kind(rawValue: "foreign-origin")
    /// The edit is in conflict with the current document.
    public static let conflict = Problem.Kind(rawValue: "conflict")
    /// The request needs a body.
    public static let lengthRequired = Problem.Kind(rawValue: "length-required")
    /// The server does not read this media type.
    public static let unsupportedMediaType = Problem.Kind(rawValue: "unsupported-media-type")
    /// The body of an edit breaks a rule; `pointer` is the position of the fault.
    public static let invalidContent = Problem.Kind(rawValue: "invalid-content")
    /// The server has read its source again, and cannot serve the new document.
    public static let documentRefused = Problem.Kind(rawValue: "document-refused")
    /// Many wrong tokens came from this address.
    public static let tooManyAttempts = Problem.Kind(rawValue: "too-many-attempts")
    /// The edit could not be saved.
    public static let saveFailed = Problem.Kind(rawValue: "save-failed")
    /// The server has no connection to its database; nothing has changed.
    public static let databaseAway = Problem.Kind(rawValue: "database-away")
    /// The limit of edits in progress is reached.
    public static let tooManyEdits = Problem.Kind(rawValue: "too-many-edits")
    /// The server is receiving another large document. It receives one large document at a time.
    public static let tooManyBodies = Problem.Kind(rawValue: "too-many-bodies")
    /// The edit was not completed in time; it may still take effect.
    public static let unfinishedEdit = Problem.Kind(rawValue: "unfinished-edit")
    /// The server will stop soon; until then it continues to answer requests.
    public static let draining = Problem.Kind(rawValue: "draining")
    /// The server is stopping.
    public static let stopping = Problem.Kind(rawValue: "stopping")
    /// The disk is full, so the edit was not saved.
    public static let insufficientStorage = Problem.Kind(rawValue: "insufficient-storage")
}

// The kinds that the library itself detects.
extension Problem.Kind {
    /// The text is not the address of a service.
    public static let badAddress = Problem.Kind(rawValue: "bad-address")
    /// No complete answer arrived: no network, no server, a broken connection, a time-out, or a failed token provider.
    public static let unreachable = Problem.Kind(rawValue: "unreachable")
    /// The answer is longer than the configuration allows.
    public static let answerTooLong = Problem.Kind(rawValue: "answer-too-long")
    /// The lists and dictionaries in the answer are nested deeper than 512, the maximum that the library reads.
    public static let answerTooDeep = Problem.Kind(rawValue: "answer-too-deep")
    /// A level or a detail could not be written to the cache folder; only `Server.cacheProblem` has this kind.
    public static let unwritableCache = Problem.Kind(rawValue: "unwritable-cache")
    /// The edits that wait could not be read from the outbox's file or written to it.
    public static let unwritableOutbox = Problem.Kind(rawValue: "unwritable-outbox")
    /// Something other than the service refused the request: a proxy, or the login page of a network.
    public static let foreignRefusal = Problem.Kind(rawValue: "about:blank")
    /// The answer does not come from a drilldown service.
    public static let unreadableAnswer = Problem.Kind(rawValue: "unreadable-answer")
}
