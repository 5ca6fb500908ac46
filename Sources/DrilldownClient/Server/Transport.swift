import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over connections that stay open.
final class Transport: Sendable {
    private let configuration: Server.Configuration
    private let session: URLSession
    /// For requests that wait for a change: each occupies a connection, which no other request has to wait for.
    private let waitingSession: URLSession
    private let delegate = SessionDelegate()
    private let waitingDelegate = SessionDelegate()

    /// The session's own default on most systems.
    private static let connections = 6
    /// A session queues what is beyond this, and says nothing.
    private static let waitingConnections = 1_000

    init(_ configuration: Server.Configuration) {
        self.configuration = configuration
        session = Self.session(delegate, connections: Self.connections)
        waitingSession = Self.session(waitingDelegate, connections: Self.waitingConnections)
    }

    /// A session that remembers nothing: what is remembered here is already decoded.
    private static func session(_ delegate: SessionDelegate, connections: Int) -> URLSession {
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpMaximumConnectionsPerHost = connections
        return URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
    }

    /// The answer to a request, whatever its status.
    ///
    /// - Throws: `Problem` if there is no whole answer, `CancellationError` if the task was cancelled.
    func answer(to request: Request) async throws -> Answer {
        try Task.checkCancellation()
        let exchange = Exchange(
            request.target, of: configuration.url.absoluteString, limit: configuration.maximumAnswerBytes)
        let (session, delegate) = request.wait > 0 ? (waitingSession, waitingDelegate) : (session, delegate)
        let task = session.dataTask(with: try urlRequest(for: request))
        // Before it can be cancelled: the delegate hears of each task once.
        delegate.add(exchange, for: task)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.start(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// A session that is not invalidated lives for ever.
    deinit {
        session.invalidateAndCancel()
        waitingSession.invalidateAndCancel()
    }

    private func urlRequest(for request: Request) throws -> URLRequest {
        guard let url = request.url ?? configuration.url(of: request.target),
            let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { throw Problem.badAddress(request.url?.absoluteString ?? configuration.url.absoluteString) }
        var result = URLRequest(url: url)
        result.httpMethod = request.method
        result.httpBody = request.body
        result.timeoutInterval = configuration.timeout + Double(request.wait)
        for (name, value) in request.header { result.setValue(value, forHTTPHeaderField: name) }
        if request.url != nil { return result }
        if let token = request.isEdit ? configuration.editToken : configuration.readToken ?? configuration.editToken {
            result.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return result
    }
}

extension Server.Configuration {
    /// The URL of a target; nil if the two together are not a URL.
    func url(of target: String) -> URL? {
        var base = url.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        return URL(string: base + target)
    }
}
