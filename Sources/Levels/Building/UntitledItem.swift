/// What is known about an item that was refused because it has no title.
public struct UntitledItem: Sendable, Equatable {
    /// The names of its fields that hold text, a number or a date, in document order; the first hundred.
    public let names: [String]

    static let mostNames = 100
}
