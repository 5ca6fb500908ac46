import Levels

extension LevelsAPI {
    /// How the API answers.
    public struct Configuration: Sendable {
        /// Bytes that rendered answers may take; 0 keeps none.
        public var cacheBytes = 32 << 20
        /// How many requests may wait for changes at once, long polls and streams together.
        public var waiters = 10_000
        /// The header field `Cache-Control` of levels, details and documents.
        public var cacheControl = "no-cache"
        /// The other origins whose pages may read the answers.
        public var allowedOrigins = AllowedOrigins.none

        public init() {}
    }
}

/// How fresh the tree is, for `/readyz`.
public struct Readiness: Sendable {
    /// The sentence of the latest load, where it was refused and an older tree is served.
    public var lastError: String?
    /// What is served: a path or a URL.
    public var source: String

    public init(source: String, lastError: String? = nil) {
        self.source = source
        self.lastError = lastError
    }
}
