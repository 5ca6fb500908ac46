import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session that the first request opens. After `close`, the next request opens a new session.
final class RenewedSession: Sendable {
    private struct Current {
        let session: URLSession
        let delegate: SessionDelegate
    }

    /// The error of a request that `close` or `end` has ended, if a function of the app sends the request.
    struct Closed: Error {}

    private let current = Guarded<Current?>(nil)
    /// Ends the requests that a function of the app sends.
    private let ends = Guarded<[ObjectIdentifier: @Sendable (any Error) -> Void]>([:])
    private let isOver = Guarded(false)
    private let connections: Int
    private let configuration: ServerConfiguration

    /// - Parameter connections: the maximum number of connections to one host; further requests wait for a connection.
    init(connections: Int, _ configuration: ServerConfiguration) {
        (self.connections, self.configuration) = (connections, configuration)
    }

    deinit { close(cancelling: true) }

    /// Sends a request and waits for the answer. After `end`, throws `CancellationError`.
    func answer(of exchange: Exchange, to request: URLRequest) async throws -> Answer {
        let task = try task(for: request, exchange: exchange)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.start(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns a suspended task for a request; the caller resumes it.
    private func task(for request: URLRequest, exchange: Exchange) throws(CancellationError) -> URLSessionDataTask {
        // The task is made within the lock, because making a task of an invalidated session traps.
        try current.withLock { current throws(CancellationError) in
            if isOver.withLock({ $0 }) { throw CancellationError() }
            let used = current ?? make()
            current = used
            let task = used.session.dataTask(with: request)
            // The exchange is added before the task can be cancelled, because the delegate receives the end of a task
            // only once.
            used.delegate.add(exchange, for: task)
            return task
        }
    }

    /// Sends a request with a function of the app. The answer does not wait for a function that ignores cancellation.
    /// After `end`, throws `Closed`, because the function may throw `CancellationError` for reasons of its own.
    func answer(
        of exchange: Exchange, _ send: @escaping @Sendable () async throws -> (Data, URLResponse)
    ) async throws -> Answer {
        let task = Task { await exchange.run(send) }
        let end: @Sendable (any Error) -> Void = { error in
            task.cancel()
            exchange.end(error, isCancelled: error is CancellationError)
        }
        ends.withLock { $0[ObjectIdentifier(exchange)] = end }
        defer { ends.withLock { $0[ObjectIdentifier(exchange)] = nil } }
        // `end` may have been called before it could find this request, or earlier.
        if isOver.withLock({ $0 }) {
            task.cancel()
            throw Closed()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.start($0) }
        } onCancel: {
            end(CancellationError())
        }
    }

    /// Cancels the requests in progress, and refuses all later requests.
    func end() {
        isOver.withLock { $0 = true }
        close(cancelling: true)
    }

    /// Closes the session and its connections; the next request opens a new session.
    ///
    /// - Parameter cancelling: whether to cancel the requests in progress; if false, their connections are closed when
    ///   these requests have ended.
    func close(cancelling: Bool) {
        if cancelling { for end in ends.withLock({ Array($0.values) }) { end(Closed()) } }
        current.withLock { current in
            // A session is freed only after it has been invalidated.
            if cancelling {
                current?.session.invalidateAndCancel()
            } else {
                current?.session.finishTasksAndInvalidate()
            }
            current = nil
        }
    }

    /// Opens a session without cookies and without a cache; `AnswerMemory` keeps decoded values instead of a cache.
    private func make() -> Current {
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpMaximumConnectionsPerHost = connections
        configuration.prepareSession?(settings)
        let delegate = SessionDelegate(configuration.challenge)
        return Current(
            session: URLSession(configuration: settings, delegate: delegate, delegateQueue: nil), delegate: delegate)
    }
}

/// The delegate of a session, which passes the events of its requests to their exchanges.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Guarded<[Int: Exchange]>([:])
    private let answer:
        (@Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))?

    /// - Parameter answer: answers the authentication challenges; nil to answer them as usual.
    init(
        _ answer: (@Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))?
    ) { self.answer = answer }

    // Foundation on Linux does not ask a delegate about certificates.
    #if !canImport(FoundationNetworking)
        func urlSession(
            _: URLSession, task _: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler decide: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let (disposition, credential) = answer?(challenge) ?? (.performDefaultHandling, nil)
            decide(disposition, credential)
        }
    #endif

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _: URLSession, dataTask task: URLSessionDataTask, didReceive head: URLResponse,
        completionHandler decide: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let head = head as? HTTPURLResponse, let exchange = exchange(of: task) else { return decide(.cancel) }
        decide(exchange.receive(head) ? .allow : .cancel)
    }

    func urlSession(_: URLSession, dataTask task: URLSessionDataTask, didReceive piece: Data) {
        if exchange(of: task)?.receive(piece) == false { task.cancel() }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse, newRequest: URLRequest,
        completionHandler follow: @escaping @Sendable (URLRequest?) -> Void
    ) {
        follow(exchange(of: task)?.redirect(task.originalRequest, to: newRequest))
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.end(error, isCancelled: (error as? URLError)?.code == .cancelled)
    }
}

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
        // The token is known before any request gets it, so that a request that is refused at once asks again.
        let task = Task {
            defer { asking = nil }
            known = try await provide(refused)
            return known
        }
        asking = task
        return try await task.value
    }
}

extension Answer {
    /// Returns whether the service refused the token, so that it may accept another token.
    func refusesToken(from server: String) -> Bool {
        status == 401 || status == 403 && Problem(self, from: server).kind == .wrongToken
    }
}
