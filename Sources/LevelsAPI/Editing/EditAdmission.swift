import Bytes
import HTTPServer
import PropertyLists

/// Decides whether a request may change the document, before its body is read.
struct EditAdmission {
    private let tokens: (@Sendable () -> AccessTokens)?
    private let origins: AllowedOrigins
    private let log: @Sendable (TokenEvent) -> Void
    let failures = TokenFailures()

    /// - Parameter tokens: the tokens that allow edits now; nil if editing is off.
    init(
        _ tokens: (@Sendable () -> AccessTokens)?, _ origins: AllowedOrigins,
        log: @escaping @Sendable (TokenEvent) -> Void
    ) {
        self.tokens = tokens
        self.origins = origins
        self.log = log
    }

    /// Whether a token could allow an edit now.
    var isOn: Bool { tokens.map { !$0().isEmpty } ?? false }

    /// Admits a request; returns its token.
    ///
    /// - Parameter content: what the body of the request may be.
    /// - Throws: `Problem` (401, 403, 411, 415, 429).
    func admit(_ request: Request, _ content: EditContent) throws(Problem) -> AccessToken {
        let tokens = tokens?() ?? AccessTokens([])
        guard !tokens.isEmpty else { throw .editingOff }
        guard origins.allowsEdits(by: request) else { throw .foreignOrigin }
        guard let presented = BearerCredentials.token(of: request) else { throw .unauthorized }
        guard let token = tokens.token(presented.span) else { throw refusal(of: request.client) }
        try content.check(request)
        return token
    }

    private func refusal(of address: String) -> Problem {
        guard let burst = failures.note(address) else { return .wrongToken }
        if burst.isFirst { log(.wrongTokens(address: address)) }
        return .tooManyAttempts(seconds: burst.seconds)
    }
}

extension Problem {
    fileprivate static let editingOff = Problem(
        .editingOff, "Editing is off, because this server has no edit token; its operator can set --edit-token-file.")

    fileprivate static let foreignOrigin = Problem(
        .foreignOrigin,
        "Pages of this origin must not edit; the server's operator can list the origin in --cors-origins.")

    fileprivate static let unauthorized = Problem(
        .unauthorized, "An edit needs a token; send the header field 'Authorization: Bearer TOKEN'.")

    fileprivate static let wrongToken = Problem(.wrongToken, "The token in Authorization does not allow edits here.")

    static func tooManyAttempts(seconds: Int) -> Problem {
        var problem = Problem(
            .tooManyAttempts,
            "Too many wrong tokens came from this address. Try again after \(Quantity(seconds, "second")), with a token that is known here."
        )
        problem.headers = [("Retry-After", "\(seconds)")]
        return problem
    }
}
