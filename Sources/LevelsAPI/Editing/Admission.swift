import Bytes
import HTTPServer
import PropertyLists

/// Decides which requests may read and which may edit. The decision depends on the tokens of the requests.
struct Admission: Sendable {
    private let origins: AllowedOrigins
    private let editing: TokenAccess?
    private let reading: TokenAccess?
    private let failures = TokenFailures()

    /// - Parameters:
    ///   - editing: nil if editing is off.
    ///   - reading: nil if anyone may read. The tokens for edits also allow reading.
    init(origins: AllowedOrigins, editing: TokenAccess?, reading: TokenAccess?) {
        self.origins = origins
        self.editing = editing
        self.reading = reading
    }

    /// Whether a token could allow an edit now.
    var isEditingOn: Bool { editing.map { !$0.tokens().isEmpty } ?? false }

    /// Whether reading needs a token.
    var restrictsReading: Bool { reading != nil }

    /// Admits an edit before its body is read.
    ///
    /// - Throws: `Problem` (401, 403, 411, 415, 429).
    func admit(_ request: Request, content: EditContent) throws(Problem) -> AccessToken {
        guard isEditingOn else { throw .editingOff }
        guard origins.allowsEdits(by: request) else { throw .foreignOrigin }
        let token = try token(ofAdmitted: request)
        try content.check(request)
        return token
    }

    /// Checks the token of an admitted edit again, because the token may have been revoked while the body was read.
    ///
    /// - Throws: `Problem` (401, 403, 429).
    func token(ofAdmitted request: Request) throws(Problem) -> AccessToken {
        guard let editing, case let tokens = editing.tokens(), !tokens.isEmpty else { throw .editingOff }
        guard let presented = BearerCredentials.token(of: request) else { throw .unauthorizedEdit }
        guard let token = tokens.token(presented.span) else {
            throw tooManyAttempts(by: request, for: editing) ?? .wrongEditToken(presented)
        }
        return token
    }

    /// - Throws: `Problem` (401, 429) for a request that may not read.
    func checkReading(_ request: Request) throws(Problem) {
        guard let reading else { return }
        guard let presented = BearerCredentials.token(of: request) else { throw .unauthorizedRead }
        if !isKnown(presented) { throw tooManyAttempts(by: request, for: reading) ?? .wrongReadToken(presented) }
    }

    /// Whether an endpoint that is open to anyone may show a client the contents of the document.
    ///
    /// A wrong token counts here too, so that nobody can guess tokens unnoticed at such an endpoint.
    func allowsReading(_ request: Request) -> Bool {
        guard let reading else { return true }
        guard let presented = BearerCredentials.token(of: request) else { return false }
        if isKnown(presented) { return true }
        _ = tooManyAttempts(by: request, for: reading)
        return false
    }

    private func isKnown(_ token: [UInt8]) -> Bool {
        [reading, editing].contains { $0?.tokens().token(token.span) != nil }
    }

    /// Counts a wrong token. Returns a problem if too many wrong tokens came from the address of the client.
    private func tooManyAttempts(by request: Request, for access: TokenAccess) -> Problem? {
        guard let burst = failures.note(request.client) else { return nil }
        if burst.isFirst { access.log(.wrongTokens(address: request.client)) }
        let time = Quantity(count: burst.seconds, noun: "second")
        return Problem(
            .tooManyAttempts,
            detail:
                "Too many wrong tokens came from this address. Try again after \(time), with a token that is known here.",
            headers: [("Retry-After", "\(burst.seconds)")])
    }
}

extension Problem {
    fileprivate static let editingOff = Problem(
        .editingOff,
        detail: "Editing is off, because this server has no edit token; its operator can set --edit-token-file.")

    fileprivate static let foreignOrigin = Problem(
        .foreignOrigin,
        detail: "Pages of this origin must not edit; the server's operator can list the origin in --cors-origins.")

    fileprivate static let unauthorizedEdit = Problem(
        .unauthorized, detail: "An edit needs a token; send the header field 'Authorization: Bearer TOKEN'.")

    fileprivate static func wrongEditToken(_ token: [UInt8]) -> Problem {
        Problem(
            .wrongToken,
            detail: "The token in Authorization does not allow edits here." + BearerCredentials.advice(on: token))
    }

    fileprivate static let unauthorizedRead = Problem(
        .unauthorized, detail: "Reading needs a token here; send the header field 'Authorization: Bearer TOKEN'.")

    fileprivate static func wrongReadToken(_ token: [UInt8]) -> Problem {
        Problem(
            .unauthorized,
            detail: "The token in Authorization does not allow reading here." + BearerCredentials.advice(on: token))
    }
}
