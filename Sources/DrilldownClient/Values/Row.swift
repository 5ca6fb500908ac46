/// A row of a level: the part of an item that a list shows.
///
/// ```swift
/// ForEach(level.rows) { row in
///     NavigationLink(row.title, value: row.path)
/// }
/// ```
public struct Row: Hashable, Sendable, Identifiable {
    /// The identity of the row in its list: the row's key; in a search or an outline, the row's link.
    public var id: String { extras?.values.href ?? key }
    /// The path of the item that the row is a child of.
    public var parent: ItemPath
    /// The key of the item, unique on its level.
    public var key: String
    /// The version of the row, which changes when the row's content changes. It is not a version for `ifMatch`.
    public var version: String
    /// The title of the item.
    public var title: String
    /// Whether the item is a leaf, without children.
    public var isLeaf: Bool
    /// The number of the item's children.
    public var count: Int
    /// The fields that were requested. `row["Price"]` is short for `row.fields["Price"]`.
    public var fields: Fields
    /// The members that few rows have.
    var extras: Extras?

    /// Creates a row with these values; it is a leaf if `count` is 0.
    public init(
        key: String, below parent: ItemPath = .root, version: String = "", title: String? = nil, count: Int = 0,
        fields: Fields = [:], control: Control? = nil, error: String? = nil
    ) {
        self.parent = parent
        self.key = key
        self.version = version
        self.title = title ?? key
        isLeaf = count == 0
        self.count = count
        self.fields = fields
        if control != nil || error != nil { extras = Extras(Extras.Values(control: control, error: error)) }
    }

    /// The path of the item.
    public var path: ItemPath { parent.appending(key) }
    /// The link to open when the row is tapped: the link of the item's level or, for a leaf, of the item's detail.
    public var href: String { extras?.values.href ?? (isLeaf ? path.detailLink : path.levelLink) }
    /// The value of a field; nil if the row does not show the field.
    public subscript(name: String) -> FieldValue? { fields[name] }
}

// The fields that a row shows unless the query requests others.
extension Row {
    /// The field `Subtitle`: the second line of the row.
    public var subtitle: String? { fields["Subtitle"]?.text }

    /// The field `Image`: the name of a file of the service, or a URL; see `Server.imageData(for:)`.
    public var imageName: String? { fields["Image"]?.text }

    /// The field `Value`.
    public var value: FieldValue? { fields["Value"] }
}

// The members that few rows have. Previews and tests may set them. The path and `isLeaf` must be set first, because the
// identity of a row in a search or an outline is made from the path and `isLeaf`.
extension Row {
    /// The version of the item's own fields, for `ifMatch`; nil unless all fields were requested.
    public var fieldsVersion: ItemVersion? {
        get { extras?.values.fieldsVersion }
        set { setExtra(\.fieldsVersion, to: newValue) }
    }
    /// The control that edits the item; nil unless the item is a setting.
    public var control: Control? {
        get { extras?.values.control }
        set { setExtra(\.control, to: newValue) }
    }
    /// The reason why the rows below could not be read, as a sentence; otherwise nil.
    public var error: String? {
        get { extras?.values.error }
        set { setExtra(\.error, to: newValue) }
    }
    /// In a table of a database: the records to which the row refers, by the names of the columns that do, among the
    /// columns that the row shows. Several columns of one reference are joined by commas.
    public var links: [String: ItemLink] {
        get { extras?.values.links ?? [:] }
        set { setExtra(\.links, to: newValue) }
    }
    /// In a search: the titles of the items between the level and the row, outermost first; otherwise nil.
    public var trail: [String]? {
        get { extras?.values.trail }
        set { setExtra(\.trail, to: newValue) }
    }
    /// In an outline: the number of levels by which the row is indented, from 0; otherwise nil.
    public var indent: Int? {
        get { extras?.values.indent }
        set { setExtra(\.indent, to: newValue) }
    }
    /// In an outline: whether the row's children follow the row.
    public var isExpanded: Bool {
        get { extras?.values.isExpanded ?? false }
        set { setExtra(\.isExpanded, to: newValue) }
    }
    /// In an outline: whether the row is the first of its siblings.
    public var isFirst: Bool {
        get { extras?.values.isFirst ?? false }
        set { setExtra(\.isFirst, to: newValue) }
    }
    /// In an outline: whether the row is the last of its siblings.
    public var isLast: Bool {
        get { extras?.values.isLast ?? false }
        set { setExtra(\.isLast, to: newValue) }
    }

    private mutating func setExtra<Value>(_ member: WritableKeyPath<Extras.Values, Value>, to value: Value) {
        var values = extras?.values ?? Extras.Values()
        values[keyPath: member] = value
        // In a list with rows of several levels, the link is the identity of a row.
        let isOfSeveralLevels = values.trail != nil || values.indent != nil
        values.href = isOfSeveralLevels ? values.href ?? href : nil
        extras = Extras(values)
    }

    /// The members that few rows have. They are in a class, so that rows without these members stay small.
    final class Extras: Hashable, Sendable {
        struct Values: Hashable, Sendable {
            /// The link that identifies the row in a list with rows of several levels; otherwise nil.
            var href: String?
            var fieldsVersion: ItemVersion?
            var control: Control?
            var error: String?
            var links: [String: ItemLink] = [:]
            var trail: [String]?
            var indent: Int?
            var isExpanded = false
            var isFirst = false
            var isLast = false
        }

        let values: Values

        init(_ values: Values) { self.values = values }

        static func == (left: Extras, right: Extras) -> Bool { left === right || left.values == right.values }

        func hash(into hasher: inout Hasher) { hasher.combine(values) }
    }
}
