/// A responder's answer: the response, or a waiter that will receive it.
public enum Answer: Sendable {
    /// The response is available.
    case now(Response)
    /// The response follows later; the connection waits for it without occupying a thread.
    case later(Waiter)
}

extension Answer {
    /// The response, if it is available: at once, or from the waiter.
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
