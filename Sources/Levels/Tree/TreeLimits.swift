/// The limits on the size of a tree.
public struct TreeLimits: Sendable, Equatable {
    /// The maximum number of levels below the root.
    public var depth: Int
    /// The maximum number of items.
    public var items: Int

    /// - Parameters:
    ///   - depth: the maximum number of levels below the root.
    ///   - items: the maximum number of items.
    public init(depth: Int = 512, items: Int = 20_000_000) {
        self.depth = depth
        self.items = items
    }
}
