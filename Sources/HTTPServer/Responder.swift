/// What answers requests; called on the server's threads, several at once.
public protocol Responder: Sendable {
    /// Answers a request whose body, if any, has been read; at once, or later.
    ///
    /// What a later answer needs of the request is to be taken from it here.
    func respond(to request: Request) -> Answer

    /// Called when a body is announced and not yet read: a response refuses it, and ends the connection.
    func refusal(of request: Request) -> Response?

    /// Answers what is no request to answer: it breaks HTTP, or a limit of the server.
    /// - Parameters:
    ///   - reason: a sentence for the client.
    ///   - status: 400, 413, 431, 501 or 505.
    func response(toBadRequest reason: String, status: Int) -> Response
}

extension Responder {
    public func refusal(of request: Request) -> Response? { nil }
}
