/// The detail of one item: its own fields, its ancestors and its neighbours.
public struct Detail: Hashable, Sendable {
    /// The title of the item.
    public var title: String
    /// The path of the item.
    public var path: ItemPath
    /// The version of the whole detail, for `ifMatch`. It also changes with the item's position, neighbours and
    /// children.
    public var version: ItemVersion
    /// The version of the item's own fields, for `ifMatch`. An edit with this version conflicts only with other changes
    /// of these fields.
    public var fieldsVersion: ItemVersion
    /// Whether the item is a leaf, without children.
    public var isLeaf: Bool
    /// The number of the item's children.
    public var count: Int
    /// The items above the item, the root first.
    public var ancestors: [ItemLink]
    /// The position of the item among its siblings.
    public var position: Position
    /// The previous item on the same level; nil for the first item.
    public var previous: ItemLink?
    /// The next item on the same level; nil for the last item.
    public var next: ItemLink?
    /// The first child of the item; nil for a leaf.
    public var firstChild: ItemLink?
    /// The last child of the item; nil for a leaf.
    public var lastChild: ItemLink?
    /// All fields of the item. `detail["Price"]` is short for `detail.fields["Price"]`.
    public var fields: Fields
    /// In a table of a database: the records to which the record refers, by the names of the columns that do. Several
    /// columns of one reference are joined by commas.
    public var links: [String: ItemLink] = [:]
    /// The control that edits the item; nil unless the item is a setting.
    public var control: Control?
    /// The reason why the rows below could not be read, as a sentence; otherwise nil.
    public var error: String?

    /// Creates a detail with these values.
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

    /// The number of levels from the root down to the item; 0 for the root.
    public var depth: Int { path.depth }

    /// The value of a field; nil if the item lacks the field.
    public subscript(name: String) -> FieldValue? { fields[name] }
}

extension Detail {
    /// The position of an item among its siblings.
    public struct Position: Hashable, Sendable {
        /// The position on the level, from 0.
        public var index: Int
        /// The number of rows of the level.
        public var count: Int
        /// The number of the section, from 0.
        public var section: Int

        /// Creates a position with these values.
        public init(index: Int, count: Int, section: Int = 0) {
            self.index = index
            self.count = count
            self.section = section
        }

        /// Whether the item is the first of the level.
        public var isFirst: Bool { index == 0 }
        /// Whether the item is the last of the level.
        public var isLast: Bool { index == count - 1 }
    }
}

/// The version of an item, for a conditional edit with `ifMatch`.
///
/// It comes from `Detail.version`, `Detail.fieldsVersion`, `Row.fieldsVersion` or, for an insertion,
/// `Level.itemVersion`. All other versions of rows and levels only serve to compare answers, so they have a different
/// type.
///
/// ```swift
/// let detail = try await server.detail(at: row.path)
/// try await server.patch(["Price": 15], at: detail.path, ifMatch: detail.fieldsVersion)
/// ```
public struct ItemVersion: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text of the version, which is the service's entity tag without quotation marks.
    public let rawValue: String

    /// Creates the version with this text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a version for previews and tests.
    public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension ItemVersion: CustomStringConvertible {
    /// The text of the version.
    public var description: String { rawValue }
}
