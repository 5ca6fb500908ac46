/// One answered request, for an access log.
public struct AccessEntry: Sendable {
    /// The trace that the request belongs to (W3C Trace Context), else an identifier of its own: 32 hexadecimal digits.
    public let id: String
    /// The client's address; behind a trusted proxy the one that it tells.
    public let peer: String
    /// The method.
    public let method: Method
    /// The raw target, without what looks like a password or a token.
    public let target: String
    /// The status of the response.
    public let status: Int
    /// The bytes of the body without the framing of chunks; 0 for HEAD.
    ///
    /// A stream counts the bytes that were sent, any other body all its bytes, even if the response was cut off.
    public let size: Int
    /// The time from the request line to the last byte of the response.
    public let duration: Duration
    /// Whether the whole response was sent.
    public let completed: Bool
}

extension AccessEntry {
    /// The entry of a request that has just ended.
    init(_ ended: EndedRequest, of request: Request, id: String) {
        self.init(
            id: id, peer: request.client, method: ended.method, target: LoggedTarget.text(of: request.targetText),
            status: ended.status, size: ended.size, duration: .nanoseconds(ended.nanoseconds),
            completed: ended.isComplete)
    }
}
