/// The detail of one item: its own fields, and what is around it.
public struct Detail: Hashable, Sendable {
    /// The title of the item.
    public var title: String
    /// The path of the item.
    public var path: ItemPath
    /// The version of this answer: the same content has the same version.
    public var version: String
    /// How many levels the item is below the root.
    public var depth: Int
    /// Whether the item has no children.
    public var isLeaf: Bool
    /// The number of its children.
    public var count: Int
    /// The items above, the root first.
    public var ancestors: [Level.Ancestor]
    /// The place of the item among its siblings.
    public var position: Position
    /// The item before it on its level; nil if it is the first.
    public var previous: Link?
    /// The item after it on its level; nil if it is the last.
    public var next: Link?
    /// The first of its children.
    public var firstChild: Link?
    /// The last of its children.
    public var lastChild: Link?
    /// All its fields.
    public var fields: Fields
    /// How the item is edited, if it is a setting.
    public var control: Control?
    /// Why the rows below could not be read, in a sentence.
    public var error: String?

    /// A detail with these values.
    public init(
        title: String, path: ItemPath, version: String = "", count: Int = 0, ancestors: [Level.Ancestor] = [],
        position: Position = Position(index: 0, count: 1), previous: Link? = nil, next: Link? = nil,
        firstChild: Link? = nil, lastChild: Link? = nil, fields: Fields = [:], control: Control? = nil,
        error: String? = nil
    ) {
        self.title = title
        self.path = path
        self.version = version
        depth = path.depth
        isLeaf = count == 0
        self.count = count
        self.ancestors = ancestors
        self.position = position
        self.previous = previous
        self.next = next
        self.firstChild = firstChild
        self.lastChild = lastChild
        self.fields = fields
        self.control = control
        self.error = error
    }
}
