/// Answers requests; called on the server's threads, several calls at a time.
public protocol Responder: Sendable {
    /// Answers a request, immediately or later. The body of the request, if any, has been read.
    ///
    /// The request is valid only during the call; copy the parts that a later answer needs.
    func respond(to request: Request) -> Answer

    /// Returns a response that refuses an announced body before it is read. The connection ends after this response.
    ///
    /// - Returns: nil to have the body read.
    func refusal(of request: Request) -> Response?

    /// Returns the maximum size of a body that is about to be read, in bytes; nil for the limit of the server.
    ///
    /// Only one body at a time may be larger than the server's limit, and its size must be announced.
    func bodyLimit(of request: Request) -> Int?

    /// The number of the route under which to count the request; 0 for a request without a route.
    func route(of request: Request) -> Int

    /// Answers a request that cannot get an answer of `respond(to:)`, or whose answer cannot be sent.
    ///
    /// - Parameter target: the target of the request; empty if the request line is invalid.
    func response(to failure: RequestFailure, target: String) -> Response

    /// Returns a response of status 500 or above with the identifier of the request, if the response reports a fault.
    ///
    /// - Parameter id: the identifier of the request in logs.
    func response(_ response: Response, naming id: String) -> Response
}

extension Responder {
    /// Accepts every body.
    public func refusal(of request: Request) -> Response? { nil }

    /// Returns the response unchanged.
    public func response(_ response: Response, naming id: String) -> Response { response }

    /// Returns 0, so that all requests are counted together.
    public func route(of request: Request) -> Int { 0 }

    /// Returns nil, for the limit of the server.
    public func bodyLimit(of request: Request) -> Int? { nil }
}

/// The reason why a request gets a response of the server's own.
public enum RequestFailure: Sendable {
    /// The request violates HTTP or a limit of the server. The reason is a sentence for the client; the status is 400,
    /// 413, 414, 421, 431, 501 or 503.
    case badRequest(String, status: Int)
    /// The answer cannot be sent, which is a 500. The log gives the reason under the identifier of the request.
    case unsent(id: String)
    /// Memory for the answer is lacking, which is a 503.
    case outOfMemory
}

/// A responder's answer: the response, or a waiter that will receive it.
public enum Answer: Sendable {
    /// The response is available.
    case now(Response)
    /// The response will be ready later. The connection waits for it without occupying a thread.
    case later(Waiter)
}

extension Answer {
    /// The response; nil if a waiter has not yet received it.
    public var response: Response? {
        switch self {
        case .now(let response): response
        case .later(let waiter): waiter.response
        }
    }

    /// The waiter, if the response follows later.
    public var waiter: Waiter? {
        if case .later(let waiter) = self { waiter } else { nil }
    }
}
