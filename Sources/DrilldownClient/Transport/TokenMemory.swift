/// The token of a provider; concurrent requests share one call of the provider.
actor TokenMemory {
    private let provide: @Sendable (_ refused: String?) async throws -> String?
    private var known: String?
    private var asking: Task<String?, any Error>?

    init(_ provide: @escaping @Sendable (_ refused: String?) async throws -> String?) { self.provide = provide }

    /// Returns the known token. Asks the provider for a token if no token is known, or if the known token was refused.
    ///
    /// - Throws: the error of the provider.
    func token(insteadOf refused: String? = nil) async throws -> String? {
        // Another request may already have renewed the refused token.
        if let known, known != refused { return known }
        if let asking { return try await asking.value }
        let task = Task { [provide] in try await provide(refused) }
        asking = task
        defer { asking = nil }
        known = try await task.value
        return known
    }
}

extension Answer {
    /// Returns whether the service refused the token, so that it may accept another token.
    func refusesToken(from server: String) -> Bool {
        status == 401 || status == 403 && Problem(self, from: server).kind == .wrongToken
    }
}
