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
