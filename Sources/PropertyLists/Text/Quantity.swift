/// A count with its noun, for messages: `1 item`, `0 items`, `12 items`.
public struct Quantity: Sendable, CustomStringConvertible {
    private let count: Int
    private let noun: String

    /// - Parameter noun: in the singular; its plural ends in `s`.
    public init(_ count: Int, _ noun: String) {
        self.count = count
        self.noun = noun
    }

    /// The number, a space and the noun, in the plural unless the number is 1.
    public var description: String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
