import DrilldownDates
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that was sent, and the part of its answer that has arrived.
final class Exchange: Sendable {
    private let target: String
    /// The address of the service, for messages.
    private let address: String
    private let limit: Int
    private let state = Guarded(State())

    private struct State {
        var continuation: CheckedContinuation<Answer, any Error>?
        var status = 0
        var header: [String: String] = [:]
        var body = Data()
        var problem: Problem?
        var redirects = 0
        /// The result, if the exchange ended before `start`; otherwise nil.
        var outcome: Result<Answer, any Error>?
    }

    private static let mostRedirects = 5

    init(target: String, of address: String, limit: Int) {
        self.target = target
        self.address = address
        self.limit = limit
    }

    func start(_ continuation: CheckedContinuation<Answer, any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    /// Sends the request with a function of the app, and takes the answer.
    func run(_ send: () async throws -> (Data, URLResponse)) async {
        do {
            let (body, head) = try await send()
            guard let head = head as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            if receive(head) { _ = receive(body) }
            end(nil, isCancelled: false)
        } catch {
            end(error, isCancelled: error is CancellationError || (error as? URLError)?.code == .cancelled)
        }
    }

    /// Takes the head of the answer; returns false if the answer is too long.
    func receive(_ head: HTTPURLResponse) -> Bool {
        let length = head.expectedContentLength
        return state.withLock { state in
            state.status = head.statusCode
            for (name, value) in head.allHeaderFields {
                if let name = name as? String, let value = value as? String { state.header[name.lowercased()] = value }
            }
            guard length <= Int64(limit) else {
                state.problem = .answerTooLong(target, limit: limit)
                return false
            }
            return true
        }
    }

    /// Takes a piece of the body; returns false if the piece makes the body too long.
    func receive(_ piece: Data) -> Bool {
        state.withLock { state in
            guard state.body.count + piece.count <= limit else {
                state.problem = .answerTooLong(target, limit: limit)
                state.body = Data()
                return false
            }
            state.body.append(piece)
            return true
        }
    }

    /// Returns the request that follows a redirect; nil to take the redirect itself as the answer.
    ///
    /// Only a GET is redirected, never to a less secure scheme, and at most five times. The token is not sent to
    /// another origin.
    func redirect(_ original: URLRequest?, to next: URLRequest) -> URLRequest? {
        let isAllowed = state.withLock { state in
            state.redirects += 1
            return state.redirects <= Self.mostRedirects
        }
        guard isAllowed, let original, original.httpMethod == "GET", let from = original.url, let to = next.url,
            to.scheme == from.scheme || to.scheme == "https"
        else { return nil }
        var next = next
        let token = to.hasSameOrigin(as: from) ? original.value(forHTTPHeaderField: "Authorization") : nil
        next.setValue(token, forHTTPHeaderField: "Authorization")
        return next
    }

    func end(_ error: (any Error)?, isCancelled: Bool) {
        let (continuation, outcome) = state.withLock { state in
            let ended = state
            state = State()
            let outcome = result(of: ended, error: error, isCancelled: isCancelled)
            if ended.continuation == nil { state.outcome = outcome }
            return (ended.continuation, outcome)
        }
        continuation?.resume(with: outcome)
    }

    private func result(of state: State, error: (any Error)?, isCancelled: Bool) -> Result<Answer, any Error> {
        if let problem = state.problem { return .failure(problem) }
        if isCancelled { return .failure(CancellationError()) }
        if error is Problem || error is RenewedSession.Closed, let error { return .failure(error) }
        if let error { return .failure(Problem.unreachable(target, of: address, error: error)) }
        return .success(Answer(status: state.status, header: state.header, body: state.body, target: target))
    }
}

extension URL {
    fileprivate func hasSameOrigin(as other: URL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}

struct Request: Sendable {
    var method = "GET"
    /// The URL of a file on another server, to which the request is sent without a token; nil for a request to the
    /// service.
    var url: URL?
    /// The path and the query, percent-encoded, such as `/levels/Item%204?limit=10`.
    var target: String
    /// Header fields by name, without `Authorization`.
    var header: [String: String] = [:]
    var body: Data?
    /// The session that sends the request; nil for the session that most requests share.
    var session: RenewedSession?
    /// Whether the request is an edit, which is sent with the edit token.
    var isEdit = false

    init(_ target: String) { self.target = target }
}

/// The answer to a request, whatever its status.
struct Answer: Sendable {
    var status: Int
    /// The header fields by their names in lower case.
    var header: [String: String]
    var body: Data
    var target: String
    /// Whether the request had a token.
    var isWithToken = false

    var entityTag: String? { header["etag"] }
}

extension Answer {
    /// The media type without its parameters, in lower case; empty for an answer without a media type.
    var mediaType: String {
        let type = header["content-type"]?.prefix { $0 != ";" } ?? ""
        return type.trimmingCharacters(in: .whitespaces).lowercased()
    }

    var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }

    /// A summary of the body for a message: its length, its type and its beginning.
    var summary: String {
        guard !body.isEmpty else { return "an empty body" }
        let type = mediaType.isEmpty ? "no type" : "the type \(mediaType.prefix(80))"
        return "\(body.count) bytes of \(type) that begin with '\(beginning)'"
    }

    /// The first characters of the body on one line.
    private var beginning: String {
        let text = String(decoding: body.prefix(48), as: UTF8.self)
        let isCut = body.count > 48
        let shown = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return isCut ? shown + "…" : shown
    }

    /// The number of seconds to wait before the next attempt, from `Retry-After` (RFC 9110, 10.2.3); nil without the
    /// field.
    ///
    /// A date is compared with the answer's `Date`, because the clocks of the client and the server may differ. Without
    /// `Date`, it is compared with the client's clock.
    var retryAfter: Double? {
        guard let text = header["retry-after"] else { return nil }
        if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? seconds : nil }
        guard let date = HTTPDate(text) else { return nil }
        let now = header["date"].flatMap { HTTPDate($0) }.map { Double($0.seconds) } ?? Date().timeIntervalSince1970
        return max(0, Double(date.seconds) - now)
    }
}
