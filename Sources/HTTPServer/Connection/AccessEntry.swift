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
    /// The bytes of the body, without those that frame its chunks; all of them also if the answer was cut off, but of
    /// a stream those that were sent. 0 for HEAD.
    public let size: Int
    /// From the request line to the last byte of the answer.
    public let duration: Duration
    /// Whether the answer went out whole.
    public let completed: Bool
}
