/// The detail of one item: its own fields, and what is around it.
public struct Detail: Hashable, Sendable {
    /// The title of the item.
    public var title: String
    /// The path of the item.
    public var path: ItemPath
    /// The version of the whole detail, for `ifMatch`. It also changes with the item's position, neighbours and children.
    public var version: ItemVersion
    /// The version of the item's own fields, for `ifMatch`: only another change of these is a conflict then.
    public var fieldsVersion: ItemVersion
    /// Whether the item has no children.
    public var isLeaf: Bool
    /// The number of its children.
    public var count: Int
    /// The items above, the root first.
    public var ancestors: [ItemLink]
    /// The place of the item among its siblings.
    public var position: Position
    /// The item before it on its level; nil if it is the first.
    public var previous: ItemLink?
    /// The item after it on its level; nil if it is the last.
    public var next: ItemLink?
    /// The first of its children.
    public var firstChild: ItemLink?
    /// The last of its children.
    public var lastChild: ItemLink?
    /// All its fields. `detail["Price"]` is short for `detail.fields["Price"]`.
    public var fields: Fields
    /// How the item is edited, if it is a setting.
    public var control: Control?
    /// Why the rows below could not be read, in a sentence.
    public var error: String?

    /// A detail with these values.
    public init(
        title: String, path: ItemPath, version: ItemVersion = "", fieldsVersion: ItemVersion = "", count: Int = 0,
        ancestors: [ItemLink] = [], position: Position = Position(index: 0, count: 1), previous: ItemLink? = nil,
        next: ItemLink? = nil,
        firstChild: ItemLink? = nil, lastChild: ItemLink? = nil, fields: Fields = [:], control: Control? = nil,
        error: String? = nil
    ) {
        self.title = title
        self.path = path
        self.version = version
        self.fieldsVersion = fieldsVersion
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

    /// How many levels the item is below the root.
    public var depth: Int { path.depth }

    /// The value of a field; nil if the item does not have it.
    public subscript(name: String) -> FieldValue? { fields[name] }
}
