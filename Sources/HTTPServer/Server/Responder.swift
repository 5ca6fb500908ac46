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
    ///   - status: 400, 413, 431 or 501.
    ///   - target: the target of the request; empty if the request line is what is wrong.
    func response(toBadRequest reason: String, status: Int, target: String) -> Response

    /// Answers, with status 500, a request whose answer cannot be sent.
    /// - Parameters:
    ///   - id: what the log names the reason by.
    ///   - target: the target of the request.
    func response(toFault id: String, target: String) -> Response
}

extension Responder {
    public func refusal(of request: Request) -> Response? { nil }
}
