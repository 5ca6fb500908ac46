/// A link to an item: its title and its path.
public struct ItemLink: Hashable, Sendable {
    /// The title of the item.
    public var title: String
    /// The path of the item.
    public var path: ItemPath

    /// A link with these values.
    public init(title: String, path: ItemPath) {
        self.title = title
        self.path = path
    }
}
