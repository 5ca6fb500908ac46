/// A row of a level: what a list shows of one item.
public struct Row: Hashable, Sendable, Identifiable {
    /// The identity of the row in its list: its key, or its link in a search or an outline.
    public var id: String { extras?.isAmongLevels == true ? href : key }
    /// The key of the item, unique on its level.
    public var key: String
    /// The version of the row: a row that shows the same has the same version.
    public var version: String
    /// The title of the item.
    public var title: String
    /// Whether the item has no children.
    public var isLeaf: Bool
    /// The number of the item's children.
    public var count: Int
    /// Where a tap leads: the link of the item's level, or of its detail if it is a leaf.
    public var href: String
    /// The fields that were requested.
    public var fields: Fields
    /// What few rows have.
    var extras: Extras?

    /// A row with these values.
    public init(
        key: String, version: String = "", title: String, count: Int = 0, href: String, fields: Fields = [:],
        control: Control? = nil, error: String? = nil
    ) {
        self.key = key
        self.version = version
        self.title = title
        isLeaf = count == 0
        self.count = count
        self.href = href
        self.fields = fields
        if control != nil || error != nil {
            var values = Extras.Values()
            values.control = control
            values.error = error
            extras = Extras(values)
        }
    }

    /// The path of the item.
    public var path: ItemPath { ItemPath(href: href) ?? .root }
    /// How the item is edited, if it is a setting.
    public var control: Control? { extras?.values.control }
    /// Why the rows below could not be read, in a sentence.
    public var error: String? { extras?.values.error }
    /// In a search: the titles between the level and the row, outermost first; else nil.
    public var trail: [String]? { extras?.values.trail }
    /// In an outline: how far the row is indented, from 0; else nil.
    public var indent: Int? { extras?.values.indent }
    /// In an outline: whether the row's children follow it.
    public var isExpanded: Bool { extras?.values.isExpanded ?? false }
    /// In an outline: whether the row is the first of its siblings.
    public var isFirst: Bool { extras?.values.isFirst ?? false }
    /// In an outline: whether the row is the last of its siblings.
    public var isLast: Bool { extras?.values.isLast ?? false }
}
