extension LevelsAPI {
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
