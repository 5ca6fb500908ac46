/// What is known of an item that was refused for want of a title.
public struct UntitledItem: Sendable, Equatable {
    /// The names of its fields that hold text, a number or a date, in document order; the first hundred.
    public let names: [String]

    static let mostNames = 100
}
