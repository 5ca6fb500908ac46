import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
