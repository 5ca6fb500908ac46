/// What a responder gives: the response, or who will give it.
public enum Answer: Sendable {
    /// The response is there.
    case now(Response)
    /// The response comes later: the connection waits for it, and holds no thread meanwhile.
    case later(Waiter)
}

extension Answer {
    /// The response, where it is there: at once, or given to the waiter since.
    public var response: Response? {
        switch self {
        case .now(let response): response
        case .later(let waiter): waiter.response
        }
    }

    /// Who waits, where the response comes later.
    public var waiter: Waiter? {
        if case .later(let waiter) = self { waiter } else { nil }
    }
}
