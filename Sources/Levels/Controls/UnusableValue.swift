/// A stored value that a control cannot have, so that the default shows.
public struct UnusableValue: Sendable, Equatable {
    /// The key under which it is stored.
    public let key: String
    /// Why, as the end of a sentence: `must be true or false, not 5`.
    public let objection: String
}
