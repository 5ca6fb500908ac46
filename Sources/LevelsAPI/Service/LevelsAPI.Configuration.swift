public import HTTPServer
import Levels
public import TreeStore

extension LevelsAPI {
    /// How the API answers.
    public struct Configuration: Sendable {
        /// Bytes that rendered answers may take; 0 keeps none.
        public var cacheBytes = 32 << 20
        /// The memory of the bodies on their way.
        public var responseBudget = ResponseBudget(bytes: 128 << 20)
        /// Bytes that the folded titles of large trees may take, which searches look through; 0 keeps none.
        public var searchBytes = 128 << 20
        /// How many requests may wait for changes at once, long polls and streams together.
        public var waiters = 10_000
        /// The header field `Cache-Control` of levels, details and documents.
        public var cacheControl = "no-cache"
        /// The folder whose files are at `/assets`, and which need not exist; nil for a document that has none.
        public var assetsFolder: String?
        /// The other origins whose pages may read the answers.
        public var allowedOrigins = AllowedOrigins.none

        /// Whether `/metrics` is served by `MonitoringResponder` alone, which has an address of its own.
        public var hidesMetrics = false
        /// When the certificate in use expires, in seconds since 1970; nil without one.
        public var certificateExpiry: (@Sendable () -> Int)?
        /// What `/metrics` shows, and the version that `/openapi.json` tells.
        public var counters = ServiceCounters()
        /// What reading needs; nil if anyone may read.
        public var reading: Reading?
        /// Whether the web client is served, at `/` and `/browse`.
        public var hasWebClient = false

        /// What editing needs; nil turns it off.
        public var editing: Editing?

        /// The most rows that are looked at for an answer before other requests have their turn; an answer for which
        /// more must be looked at is made on another thread.
        var largestImmediateWork = 10_000
        /// How long the thread that tells of a publication may look at what waiting requests get, at most.
        var notifyingTime = Duration.milliseconds(100)
        /// Runs its argument on a thread of its own, for answers that take long.
        var startWork: @Sendable (@escaping @Sendable () -> Void) -> Void = WorkQueue.onThread

        /// The defaults.
        public init() {}
    }

    /// What reading needs, if it needs a token.
    public struct Reading: Sendable {
        /// The tokens that allow reading now; edit tokens do as well. Without any, only those do.
        public let tokens: @Sendable () -> AccessTokens
        /// Receives the events of reading, on any thread.
        public var log: @Sendable (TokenEvent) -> Void = { _ in }

        /// - Parameter tokens: the tokens that allow reading now; called for each request.
        public init(tokens: @escaping @Sendable () -> AccessTokens) { self.tokens = tokens }
    }
}

extension LevelsAPI.Configuration {
    /// The same, with answers that no shared cache may keep if they need a token (RFC 9111, sections 3.5 and 5.2.2.7).
    var withPrivateAnswers: LevelsAPI.Configuration {
        guard reading != nil else { return self }
        var configuration = self
        configuration.cacheControl = cacheControl.isEmpty ? "private" : "private, \(cacheControl)"
        return configuration
    }

    /// Whether `cacheControl` allows shared caches to give an answer to others than its client.
    public var sharesAnswers: Bool {
        cacheControl.lowercased().split { $0 == "," || $0 == " " || $0 == "=" }.contains { name in
            ["public", "s-maxage"].contains(name)
        }
    }
}

extension Selection {
    init(history: History, cache: ResponseCache, configuration: LevelsAPI.Configuration) {
        self.init(
            history: history, cache: cache,
            arrangements: ArrangementCache(
                bytes: configuration.cacheBytes, searchTexts: SearchTexts(bytes: configuration.searchBytes)),
            header: ResponseHeader(configuration.allowedOrigins), cacheControl: configuration.cacheControl,
            budget: configuration.responseBudget, largestImmediateWork: configuration.largestImmediateWork)
    }
}

extension LevelsAPI {
    /// What editing needs.
    public struct Editing: Sendable {
        /// Carries out the edits.
        public let editor: any DocumentEditor
        /// The tokens that allow edits now; called for each edit. Without any, editing is off.
        public let tokens: @Sendable () -> AccessTokens
        /// The maximum size of the body of `PUT /document`, in bytes.
        public var maximumDocumentBytes = 2 << 30
        /// Receives the events of editing, on any thread.
        public var log: @Sendable (TokenEvent) -> Void = { _ in }

        /// How many edits may be in progress at once.
        var capacity = 1_024
        /// The bytes of the bodies of edits in progress, unless there is only one.
        var bodyBytes = 64 << 20

        /// - Parameters:
        ///   - editor: carries out the edits.
        ///   - tokens: the tokens that allow edits now; called for each edit.
        public init(_ editor: any DocumentEditor, tokens: @escaping @Sendable () -> AccessTokens) {
            self.editor = editor
            self.tokens = tokens
        }
    }
}

/// What changes the document on behalf of clients: the store, or a substitute in tests.
public protocol DocumentEditor: Sendable {
    /// Carries out an edit; the request's `answer` is called once, when it is durable and published, or cannot be done.
    func edit(_ request: EditRequest)

    /// Loads the source again.
    ///
    /// - Parameter answer: called once, when that is done.
    func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void)
}

extension TreeStore: DocumentEditor {}
