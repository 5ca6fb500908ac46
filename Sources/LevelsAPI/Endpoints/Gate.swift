import Bytes
import HTTPServer
import PropertyLists

/// Checks each request before anything is looked up for it, even in the cache.
///
/// A check that does not belong to one endpoint is made here.
struct Gate {
    let header: ResponseHeader
    let admission: EditAdmission
    /// Nil if anyone may read.
    let reading: ReadAdmission?

    /// The response that refuses a request, or answers it without a resource; nil lets it pass.
    @inline(__always)
    func response(to request: Request) -> Response? {
        if let reading, let problem = reading.refusal(of: request) { return header.response(to: problem, request) }
        if request.method == .get || request.method == .head { return nil }
        return MethodAnswer.response(to: request, header, admission)
    }

    /// Whether an endpoint that is open to anyone may show a client what the document contains.
    func allowsReading(_ request: Request) -> Bool { reading?.admits(request) ?? true }
}

/// Answers to OPTIONS, and to methods that an endpoint does not allow.
enum MethodAnswer {
    /// 204 with `Allow` for OPTIONS, 405 with `Allow` for a method that is not allowed, 404 if nothing is served there; nil
    /// for a method that the endpoint allows.
    static func response(to request: Request, _ header: ResponseHeader, _ admission: EditAdmission) -> Response? {
        let match = Endpoint.match(request.target)
        if request.method != .options, match?.operation(request.method) != nil { return nil }
        let methods = match?.methods ?? Endpoint.methods
        let allow = methods.joined(separator: ", ")
        let isServed = match != nil || String(utf8: request.target) == "*"
        // For any target: a browser that is refused here could not read the 404 that says what is wrong.
        if request.method == .options, isServed || header.permits(request) {
            let granted = admission.isOn ? methods : methods.filter(AllowedOrigins.readingMethods.contains)
            return header.options(request, allow: allow, granting: granted)
        }
        return header.response(to: isServed ? .methodNotAllowed(methods) : .noSuchRoute(request.target), request)
    }
}

extension Problem {
    /// 404 for a target without a route.
    static func noSuchRoute(_ target: Span<UInt8>) -> Problem {
        let path = target.extracting(0..<target.index(of: UInt8(ascii: "?")))
        let near = nearestRoute(to: path).map { "Did you mean '\($0)'?" }
        return Problem(
            .noSuchRoute,
            "Nothing is served at '\(quoted: path)'. \(near ?? "Start with /levels/ and follow the links.")",
            members: [("allowed", .list(Endpoint.names))])
    }

    /// The name of the route that was probably meant, judging by the first segment.
    private static func nearestRoute(to path: Span<UInt8>) -> String? {
        var start = 0
        while start < path.count, path[start] == UInt8(ascii: "/") { start += 1 }
        let rest = path.extracting(start..<path.count)
        let segment = rest.extracting(0..<rest.index(of: UInt8(ascii: "/")))
        guard segment.count <= EditDistance.longestText else { return nil }
        return EditDistance.nearest(to: "/" + String(utf8: segment), among: Endpoint.names.filter { $0 != "/" })
    }
}

/// Decides whether a request may read, on a service whose answers need a token.
final class ReadAdmission: Sendable {
    private let tokens: @Sendable () -> AccessTokens
    private let log: @Sendable (TokenEvent) -> Void
    private let editTokens: (@Sendable () -> AccessTokens)?
    private let failures: TokenFailures

    /// - Parameters:
    ///   - tokens: the tokens that allow reading now.
    ///   - editTokens: those that allow edits, and thus reading; nil if editing is off.
    ///   - failures: counts the wrong tokens, those of edits too.
    init(
        _ tokens: @escaping @Sendable () -> AccessTokens, orEditing editTokens: (@Sendable () -> AccessTokens)?,
        counting failures: TokenFailures, log: @escaping @Sendable (TokenEvent) -> Void
    ) {
        self.tokens = tokens
        self.editTokens = editTokens
        self.failures = failures
        self.log = log
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
        tokens().token(token.span) != nil || editTokens?().token(token.span) != nil
    }

    /// Counts a wrong token; returns the seconds that the client should wait if there were too many.
    private func noteFailure(of request: Request) -> Int? {
        guard let burst = failures.note(request.client) else { return nil }
        if burst.isFirst { log(.wrongTokens(address: request.client)) }
        return burst.seconds
    }

    private static let missing = Problem(
        .unauthorized, "Reading needs a token here; send the header field 'Authorization: Bearer TOKEN'.")

    private static let wrong = Problem(.unauthorized, "The token in Authorization does not allow reading here.")
}
