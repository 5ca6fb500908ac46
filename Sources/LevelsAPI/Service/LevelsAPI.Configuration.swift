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

        /// The defaults.
        public init() {}
    }
}
