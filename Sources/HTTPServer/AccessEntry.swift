/// One answered request, for an access log.
public struct AccessEntry: Sendable {
    /// The client's address.
    public let peer: String
    /// The method.
    public let method: Method
    /// The raw target.
    public let target: String
    /// The status of the answer.
    public let status: Int
    /// The bytes of the body; 0 for a stream.
    public let size: Int
    /// From the request line to the last byte of the answer.
    public let duration: Duration
    /// Whether the answer went out whole.
    public let completed: Bool
}
