import HTTPServer

/// Decides whether a request may read, on a service whose answers need a token.
final class ReadAdmission: Sendable {
    private let reading: LevelsAPI.Reading
    private let editTokens: (@Sendable () -> AccessTokens)?
    private let failures: TokenFailures

    /// Nil if anyone may read.
    ///
    /// - Parameter failures: counts the wrong tokens, those of edits too.
    init?(_ configuration: LevelsAPI.Configuration, counting failures: TokenFailures) {
        guard let reading = configuration.reading else { return nil }
        self.reading = reading
        self.failures = failures
        editTokens = configuration.editing?.tokens
    }

    /// The problem of a request that may not be answered; nil lets it pass.
    func refusal(of request: Request) -> Problem? {
        // A browser sends no token with a preflight.
        guard request.method != .options else { return nil }
        if let match = Endpoint.match(request.target) {
            if match.endpoint.isOpen { return nil }
            // An edit needs more than this, which is checked when it is admitted.
            if match.operation(request.method)?.content != nil { return nil }
        }
        guard let presented = BearerCredentials.token(of: request) else { return Self.missing }
        if isKnown(presented) { return nil }
        guard let seconds = noteFailure(of: request) else { return Self.wrong }
        return .tooManyAttempts(seconds: seconds)
    }

    /// Whether the token of a request allows reading, for an endpoint that answers without one too.
    ///
    /// A wrong token counts here as well, so that no endpoint is a way to guess tokens unseen.
    func admits(_ request: Request) -> Bool {
        guard let presented = BearerCredentials.token(of: request) else { return false }
        if isKnown(presented) { return true }
        _ = noteFailure(of: request)
        return false
    }

    private func isKnown(_ token: [UInt8]) -> Bool {
        reading.tokens().token(token.span) != nil || editTokens?().token(token.span) != nil
    }

    /// Counts a wrong token; returns the seconds that the client should wait if there were too many.
    private func noteFailure(of request: Request) -> Int? {
        guard let burst = failures.note(request.client) else { return nil }
        if burst.isFirst { reading.log(.wrongTokens(address: request.client)) }
        return burst.seconds
    }

    private static let missing = Problem(
        .unauthorized, "Reading needs a token here; send the header field 'Authorization: Bearer TOKEN'.")

    private static let wrong = Problem(.unauthorized, "The token in Authorization does not allow reading here.")
}
