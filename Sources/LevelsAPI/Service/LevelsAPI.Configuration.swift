public import HTTPServer

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
}
