/// The token of a provider, for which all requests that need it at the same time ask once.
actor TokenMemory {
    private let provide: @Sendable (_ refused: String?) async throws -> String?
    private var known: String?
    private var asking: Task<String?, any Error>?

    init(_ provide: @escaping @Sendable (_ refused: String?) async throws -> String?) { self.provide = provide }

    /// The known token, or another one if this one was refused.
    ///
    /// - Throws: the error of the provider.
    func token(insteadOf refused: String? = nil) async throws -> String? {
        // Another request may have renewed it already.
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
    /// Whether another token may be accepted.
    func refusesToken(from server: String) -> Bool {
        status == 401 || status == 403 && Problem(self, from: server).kind == .wrongToken
    }
}
