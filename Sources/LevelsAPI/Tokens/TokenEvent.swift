/// An event about tokens that only the API sees, for logs.
public enum TokenEvent: Sendable, Equatable {
    /// Wrong tokens come from an address faster than they are answered; told once for each burst.
    case wrongTokens(address: String)
}
