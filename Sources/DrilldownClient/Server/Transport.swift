import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over one session, which keeps the connections open.
final class Transport: Sendable {
    private let configuration: Server.Configuration
    private let session: URLSession
    private let delegate: SessionDelegate

    init(_ configuration: Server.Configuration) {
        self.configuration = configuration
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        // Requests that wait for a change occupy a connection each.
        settings.httpMaximumConnectionsPerHost = 64
        delegate = SessionDelegate()
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
    }

    /// The answer to a request, whatever its status.
    ///
    /// - Throws: `Problem` if there is no whole answer, `CancellationError` if the task was cancelled.
    func answer(to request: Request) async throws -> Answer {
        try Task.checkCancellation()
        let exchange = Exchange(request.target, limit: configuration.maximumAnswerBytes)
        let task = session.dataTask(with: try urlRequest(for: request))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.start(continuation)
                delegate.add(exchange, for: task)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// A session that is not invalidated lives for ever.
    deinit { session.invalidateAndCancel() }

    private func urlRequest(for request: Request) throws -> URLRequest {
        guard let url = request.url ?? configuration.url(of: request.target) else {
            throw Problem.badAddress(request.target)
        }
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
