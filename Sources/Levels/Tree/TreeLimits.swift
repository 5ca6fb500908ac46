/// How large a tree may be.
public struct TreeLimits: Sendable, Equatable {
    /// Levels below the root.
    public var depth: Int
    /// Items in all.
    public var items: Int

    public init(depth: Int = 512, items: Int = 20_000_000) {
        self.depth = depth
        self.items = items
    }
}
