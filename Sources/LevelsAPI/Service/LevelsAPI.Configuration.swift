public import HTTPServer
import Levels
import TreeSources
public import TreeStore

extension LevelsAPI {
    /// The configuration of the API.
    public struct Configuration: Sendable {
        /// The maximum size of all cached answers, in bytes; 0 turns the cache off.
        public var cacheBytes = 32 << 20
        /// The memory for the bodies that are being sent.
        public var responseBudget = ResponseBudget(bytes: 128 << 20)
        /// The maximum size of the folded titles of large trees, in bytes. They are kept for searches; 0 keeps no
        /// titles.
        public var searchBytes = 128 << 20
        /// The maximum number of requests that wait for changes: the sum of long polls and streams.
        public var waiters = 10_000
        /// The header field `Cache-Control` of levels, details and documents.
        public var cacheControl = "no-cache"
        /// The folder of the files at `/assets`, which need not exist.
        public var assetsFolder: String?
        /// The origins, other than the service's own, whose pages may read the answers.
        public var allowedOrigins = AllowedOrigins.none

        /// Whether only `MonitoringResponder`, at an address of its own, serves `/metrics`.
        public var hidesMetrics = false
        /// The expiry of the certificate in use, in seconds since 1970; nil without a certificate.
        public var certificateExpiry: (@Sendable () -> Int)?
        /// The counters of `/metrics`, and the version in `/openapi.json`.
        public var counters = ServiceCounters()
        /// The access for reading; nil if anyone may read. Edit tokens allow reading, too.
        public var reading: TokenAccess?
        /// Whether the web client is served, at `/` and `/browse`.
        public var hasWebClient = false
        /// The path under which a proxy serves the service, such as `/music`. All links in answers begin with it, and
        /// links in requests may. The server removes it from the targets (`Server.Configuration.basePath`).
        public var basePath = ""

        /// The access for editing; nil turns editing off.
        public var editing: Editing?

        /// The maximum time in which a database makes an answer.
        public var longestReading = Duration.seconds(5)
        /// The maximum number of rows that are looked at for an immediate answer. An answer that needs more rows is
        /// made on another thread.
        var largestImmediateWork = 10_000
        /// The maximum time that the notifying thread spends on waiting requests after a publication.
        var notifyingTime = Duration.milliseconds(100)
        /// Returns the milliseconds since 1970. A clock that is far off shows a time within bounds, with which turns can be
        /// reckoned.
        var now: @Sendable () -> Int = { Int(min(max(WallClock.now, 0), 1e12) * 1_000) }
        /// Whether a thread checks the waiting requests at each second of the clock. Tests that set the clock check them
        /// themselves.
        var checksEachSecond = true
        /// Runs work on a thread of its own; nil to use the threads of the work queues.
        var startWork: WorkQueue.Start?

        /// The defaults.
        public init() {}
    }
}

extension LevelsAPI.Configuration {
    /// The configuration, in which `cacheControl` forbids shared caches to keep answers if reading needs a token (RFC
    /// 9111, sections 3.5 and 5.2.2.7).
    var withPrivateAnswers: LevelsAPI.Configuration {
        guard reading != nil else { return self }
        var configuration = self
        configuration.cacheControl = cacheControl.isEmpty ? "private" : "private, \(cacheControl)"
        return configuration
    }

    /// Whether a path can be the base path: no segment has the name of an endpoint. So the first segment with such a
    /// name in a link is always the endpoint, and clients find it without knowing the base path.
    public static func isBasePath(_ path: String) -> Bool {
        !path.split(separator: "/").contains { Endpoint.number(ofTarget: "/\($0)".utf8Span.span) != nil }
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
            header: ResponseHeader(
                configuration.allowedOrigins, basePath: configuration.basePath, isPrivate: configuration.reading != nil),
            basePath: configuration.basePath, cacheControl: configuration.cacheControl,
            budget: configuration.responseBudget, largestImmediateWork: configuration.largestImmediateWork,
            now: configuration.now)
    }
}

extension LevelsAPI {
    /// The access for editing.
    public struct Editing: Sendable {
        /// Carries out the edits.
        public let editor: any DocumentEditor
        /// The access for editing. An empty list of tokens turns editing off.
        public let access: TokenAccess
        /// The maximum size of the body of `PUT /document`, in bytes.
        public var maximumDocumentBytes = 2 << 30

        /// The maximum number of edits in progress.
        var capacity = 1_024
        /// The maximum size of the bodies of all edits in progress, in bytes. A single edit in progress may exceed it.
        var bodyBytes = 64 << 20

        /// - Parameters:
        ///   - editor: carries out the edits.
        ///   - access: the access for editing. An empty list of tokens turns editing off.
        public init(editor: any DocumentEditor, access: TokenAccess) {
            self.editor = editor
            self.access = access
        }
    }
}

/// Changes the document on behalf of clients: the store, or a substitute in tests.
public protocol DocumentEditor: Sendable {
    /// Carries out an edit. The request's `answer` is called once: when the edit is durable and published, or has
    /// failed.
    func edit(_ request: EditRequest)

    /// Loads the source again.
    ///
    /// - Parameter answer: called once, at the end.
    func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void)
}

extension TreeStore: DocumentEditor {}
