/// A response of status 500, for a log: the client knows only the identifier.
public struct FailedAnswer: Sendable, CustomStringConvertible {
    /// The identifier of the request.
    public let id: String
    /// The method of the request.
    public let method: Method
    /// The target of the request, without secrets.
    public let target: String

    /// A sentence for the log.
    public var description: String { "the answer to \(method.name) \(target) is an internal fault (id \(id))" }
}
