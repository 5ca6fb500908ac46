import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
