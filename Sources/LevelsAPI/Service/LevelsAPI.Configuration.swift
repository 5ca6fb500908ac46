public import HTTPServer
import Levels
public import TreeStore

extension LevelsAPI {
    /// The configuration of the API.
    public struct Configuration: Sendable {
        /// The maximum size of all cached answers, in bytes; 0 keeps none.
        public var cacheBytes = 32 << 20
        /// The memory for the bodies that are being sent.
        public var responseBudget = ResponseBudget(bytes: 128 << 20)
        /// The maximum size of the folded titles of large trees, for searches, in bytes; 0 keeps none.
        public var searchBytes = 128 << 20
        /// The maximum number of requests that wait for changes, long polls and streams together.
        public var waiters = 10_000
        /// The header field `Cache-Control` of levels, details and documents.
        public var cacheControl = "no-cache"
        /// The folder of the files at `/assets`, which need not exist.
        public var assetsFolder: String?
        /// The origins, other than the service's own, whose pages may read the answers.
        public var allowedOrigins = AllowedOrigins.none

        /// Whether only `MonitoringResponder`, at an address of its own, serves `/metrics`.
        public var hidesMetrics = false
        /// The expiry of the certificate in use, in seconds since 1970; nil without one.
        public var certificateExpiry: (@Sendable () -> Int)?
        /// The counters of `/metrics`, and the version in `/openapi.json`.
        public var counters = ServiceCounters()
        /// The access for reading; nil if anyone may read.
        public var reading: Reading?
        /// Whether the web client is served, at `/` and `/browse`.
        public var hasWebClient = false
        /// The path that a proxy removes from each target, such as `/music`, for the addresses in the web client.
        public var basePath = ""

        /// The access for editing; nil turns it off.
        public var editing: Editing?

        /// The maximum number of rows that are looked at for an immediate answer; an answer that needs more is made on
        /// another thread.
        var largestImmediateWork = 10_000
        /// The maximum time that the thread that notifies of a publication spends on waiting requests.
        var notifyingTime = Duration.milliseconds(100)
        /// Runs its argument on a thread of its own; nil for the threads of the work queues.
        var startWork: WorkQueue.Start?

        /// The defaults.
        public init() {}
    }

    /// The access for reading, if it needs a token.
    public struct Reading: Sendable {
        /// The tokens that allow reading now; edit tokens do as well.
        public let tokens: @Sendable () -> AccessTokens
        /// Receives the events of reading, on any thread.
        public var log: @Sendable (TokenEvent) -> Void = { _ in }

        /// - Parameter tokens: the tokens that allow reading now; called for each request.
        public init(tokens: @escaping @Sendable () -> AccessTokens) { self.tokens = tokens }
    }
}

extension LevelsAPI.Configuration {
    /// The configuration with a `cacheControl` that forbids shared caches to keep answers, if reading needs a token
    /// (RFC 9111, sections 3.5 and 5.2.2.7).
    var withPrivateAnswers: LevelsAPI.Configuration {
        guard reading != nil else { return self }
        var configuration = self
        configuration.cacheControl = cacheControl.isEmpty ? "private" : "private, \(cacheControl)"
        return configuration
    }

    /// Whether `cacheControl` allows shared caches to give an answer to several clients.
    public var sharesAnswers: Bool {
        cacheControl.lowercased().split { $0 == "," || $0 == " " || $0 == "=" }.contains { name in
            ["public", "s-maxage"].contains(name)
        }
    }
}

extension Selection {
    init(publications: Publications, cache: ResponseCache, configuration: LevelsAPI.Configuration) {
        let arrangements = ArrangementCache(
            bytes: configuration.cacheBytes, searchTexts: SearchTexts(bytes: configuration.searchBytes))
        self.init(
            history: History(publications: publications, arrangements: arrangements), cache: cache,
            arrangements: arrangements,
            header: ResponseHeader(configuration.allowedOrigins), cacheControl: configuration.cacheControl,
            budget: configuration.responseBudget, largestImmediateWork: configuration.largestImmediateWork)
    }
}

extension LevelsAPI {
    /// The access for editing.
    public struct Editing: Sendable {
        /// Carries out the edits.
        public let editor: any DocumentEditor
        /// The tokens that allow edits now; called for each edit. An empty list turns editing off.
        public let tokens: @Sendable () -> AccessTokens
        /// The maximum size of the body of `PUT /document`, in bytes.
        public var maximumDocumentBytes = 2 << 30
        /// Receives the events of editing, on any thread.
        public var log: @Sendable (TokenEvent) -> Void = { _ in }

        /// The maximum number of edits in progress.
        var capacity = 1_024
        /// The maximum size of the bodies of edits in progress, unless there is only one, in bytes.
        var bodyBytes = 64 << 20

        /// - Parameters:
        ///   - editor: carries out the edits.
        ///   - tokens: the tokens that allow edits now; called for each edit.
        public init(editor: any DocumentEditor, tokens: @escaping @Sendable () -> AccessTokens) {
            self.editor = editor
            self.tokens = tokens
        }
    }
}

/// Changes the document on behalf of clients: the store, or a substitute in tests.
public protocol DocumentEditor: Sendable {
    /// Carries out an edit; the request's `answer` is called once, when it is durable and published, or has failed.
    func edit(_ request: EditRequest)

    /// Loads the source again.
    ///
    /// - Parameter answer: called once, at the end.
    func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void)
}

extension TreeStore: DocumentEditor {}
