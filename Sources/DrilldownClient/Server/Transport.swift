import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over connections that stay open.
final class Transport: Sendable {
    private let configuration: Server.Configuration
    /// The number of connections is the default of most systems.
    private let session = RenewedSession(connections: 6)

    init(_ configuration: Server.Configuration) { self.configuration = configuration }

    /// Closes all connections that nothing waits for; called when nothing is observed any more.
    func closeIdleConnections() { session.close(cancelling: false) }

    /// The answer to a request, whatever its status.
    ///
    /// - Throws: `Problem` if there is no whole answer, `CancellationError` if the task was cancelled.
    func answer(to request: Request) async throws -> Answer {
        try Task.checkCancellation()
        let exchange = Exchange(
            request.target, of: configuration.url.absoluteString, limit: configuration.maximumAnswerBytes)
        let task = (request.session ?? session).task(for: try urlRequest(for: request), exchange)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.start(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
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
    /// The URL of a target; nil if the two together are not a URL, or if a query or a fragment would come between them.
    func url(of target: String) -> URL? {
        guard url.query == nil, url.fragment == nil else { return nil }
        var base = url.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        return URL(string: base + target)
    }
}

/// A session that is made for the first request, and can be closed with its connections; the next request makes another.
final class RenewedSession: Sendable {
    private struct Current {
        let session: URLSession
        let delegate: SessionDelegate
    }

    private let current = Guarded<Current?>(nil)
    private let connections: Int

    /// - Parameter connections: how many connections to one host it opens; further requests wait for one of them.
    init(connections: Int) { self.connections = connections }

    deinit { close(cancelling: true) }

    /// A task for a request, which has to be resumed.
    func task(for request: URLRequest, _ exchange: Exchange) -> URLSessionDataTask {
        // Within the lock: a session that was invalidated traps.
        current.withLock { current in
            let used = current ?? make()
            current = used
            let task = used.session.dataTask(with: request)
            // Before it can be cancelled: the delegate hears of each task once.
            used.delegate.add(exchange, for: task)
            return task
        }
    }

    /// Closes the connections that are not in use.
    ///
    /// - Parameter cancelling: whether requests that are under way are cancelled; they end by themselves otherwise.
    func close(cancelling: Bool) {
        current.withLock { current in
            // A session that is not invalidated lives for ever.
            if cancelling {
                current?.session.invalidateAndCancel()
            } else {
                current?.session.finishTasksAndInvalidate()
            }
            current = nil
        }
    }

    /// A session that remembers nothing: what is remembered elsewhere is already decoded.
    private func make() -> Current {
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpMaximumConnectionsPerHost = connections
        let delegate = SessionDelegate()
        return Current(
            session: URLSession(configuration: settings, delegate: delegate, delegateQueue: nil), delegate: delegate)
    }
}

/// Receives what the session has to tell about all requests, and hands it to their exchanges.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Guarded<[Int: Exchange]>([:])

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
