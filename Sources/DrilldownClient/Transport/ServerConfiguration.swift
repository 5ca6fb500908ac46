public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The address of a service, its tokens, the function that sends requests, and the limits of the client.
public struct ServerConfiguration: Sendable {
    /// The address of the service. If it has a path, the path is put before the path of each request, unless the path
    /// of the request already begins with it, as links of a service with a base path do.
    public var url: URL
    /// The token for reading, if the service needs a token; nil to read with `editToken`.
    public var readToken: String?
    /// The token for edits.
    public var editToken: String?
    /// Returns the token for reads and edits, in place of `readToken` and `editToken`.
    ///
    /// The function is called before the first request. If the service refuses a token, the function is called again
    /// with the refused token. Concurrent requests share one call. If the function returns nil, the request is sent
    /// without a token.
    ///
    /// ```swift
    /// configuration.tokenProvider = { refused in try await account.token(renewing: refused) }
    /// ```
    public var tokenProvider: (@Sendable (_ refused: String?) async throws -> String?)?
    /// Additional header fields of every request to the service, such as the key of a gateway.
    public var headerFields: [String: String] = [:]
    /// Changes each request to the service before it is sent, for example to add the identifier of a trace.
    ///
    /// ```swift
    /// configuration.prepareRequest = { $0.setValue(Trace.current.id, forHTTPHeaderField: "traceparent") }
    /// ```
    public var prepareRequest: (@Sendable (_ request: inout URLRequest) async -> Void)?
    /// Changes the settings of the library's own sessions, for example `allowsCellularAccess`.
    public var prepareSession: (@Sendable (_ settings: URLSessionConfiguration) -> Void)?
    /// Answers the authentication challenges of the library's own sessions, for example to accept only the app's own
    /// certificate. Called on a thread of the session; on Linux, never.
    public var challenge:
        (@Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))?
    /// Receives an entry for each request that has ended.
    ///
    /// ```swift
    /// let logger = Logger(subsystem: "com.example.app", category: "service")
    /// configuration.log = { logger.debug("\($0)") }
    /// ```
    public var log: (@Sendable (LogEntry) -> Void)?
    /// The pauses between attempts, for observed levels and details and for the outbox.
    public var retry = Retry()
    /// Sends a request in place of the library's own sessions: for an app's own session, and for tests. `retryNow()`
    /// cancels the task of a request that waits.
    ///
    /// ```swift
    /// configuration.send = { [session] request in try await session.data(for: request) }
    /// ```
    public var send: (@Sendable (_ request: URLRequest) async throws -> (Data, URLResponse))?
    /// A folder in which `updates(of:matching:)` and `updates(ofDetail:)` keep the last known levels and details; nil to
    /// keep nothing. No other method uses the folder.
    ///
    /// A detail that was never observed is made of its row, if a level with this row was observed.
    public var cacheFolder: URL?
    /// The maximum size of the cache folder in bytes; the least recently used files are removed first.
    public var maximumCacheBytes = 64 << 20
    /// The file that keeps the edits of the ``Outbox`` until they are sent; nil to have no outbox. Choose a folder that
    /// the system does not empty, such as Application Support, and use the file in one process only.
    public var outboxFile: URL?
    /// The time-out for a connection without data, in seconds. It is added to the wait that a request asks for.
    public var timeout: Double = 30
    /// The maximum length of an answer in bytes, after decompression.
    public var maximumAnswerBytes = 256 << 20
    /// The maximum size in bytes of the answers that are kept in memory for revalidation.
    public var maximumMemoryBytes = 32 << 20

    /// Creates the configuration for a service at a URL.
    public init(url: URL) { self.url = url }

    /// Creates the configuration for a service at an address such as `http://127.0.0.1:8080`.
    ///
    /// - Throws: `Problem` of the kind `.badAddress` if `address` is not an `http` or `https` address, or has a query
    ///   or a fragment.
    public init(_ address: String) throws(Problem) {
        guard let url = URL(string: address), Self.isWeb(url), url.host?.isEmpty == false, url.query == nil,
            url.fragment == nil
        else { throw Problem.badAddress(address) }
        self.init(url: url)
    }

    static func isWeb(_ url: URL) -> Bool { ["http", "https"].contains(url.scheme?.lowercased()) }

    /// Returns the URL of a target; nil if the target does not begin with a slash or does not make a URL, or if the
    /// service's address has a query or a fragment.
    func url(of target: String) -> URL? {
        guard url.query == nil, url.fragment == nil, target.hasPrefix("/") else { return nil }
        var base = url.absoluteString
        var path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        while path.hasSuffix("/") { path.removeLast() }
        return URL(string: target.hasPrefix(path + "/") ? base.dropLast(path.count) + target : base + target)
    }

    /// The pauses between attempts after failures. Up to half of a pause is added at random.
    public struct Retry: Hashable, Sendable {
        /// The pause after the first failure, in seconds. It doubles with each further failure.
        public var first = 1.0
        /// The longest pause without `Retry-After`, in seconds.
        public var longest = 30.0
        /// The longest `Retry-After` that counts, in seconds; a greater one is reduced to this.
        public var longestRetryAfter = 300.0

        /// Creates the usual pauses.
        public init() {}
    }

    /// A request that has ended.
    public struct LogEntry: Sendable, CustomStringConvertible {
        /// The method, such as `GET`.
        public let method: String
        /// The path and the query, percent-encoded.
        public let target: String
        /// The status of the answer; nil without a complete answer.
        public let status: Int?
        /// The length of the answer's body in bytes.
        public let bytes: Int
        /// The time from the request to the complete answer.
        public let duration: Duration
        /// The reason why there is no complete answer; nil with an answer.
        public let error: (any Error)?

        /// The entry on one line: `GET /levels/?limit=10: 200, 1234 bytes, 0.012 seconds`.
        public var description: String {
            let outcome = status.map { "\($0), \(bytes) bytes" } ?? error.map { "\($0)" } ?? "no answer"
            return "\(method) \(target): \(outcome), \((duration / .milliseconds(1)).rounded() / 1_000) seconds"
        }
    }

    /// The address of the service, for messages.
    var address: String { url.absoluteString }
}
