/// A row of a level: what a list shows of one item.
///
/// ```swift
/// ForEach(level.rows) { row in
///     NavigationLink(row.title, value: row.path)
/// }
/// ```
public struct Row: Hashable, Sendable, Identifiable {
    /// The identity of the row in its list: its key, or its link in a search or an outline.
    public var id: String { extras?.values.href ?? key }
    /// The path of the item that the row is a child of.
    public var parent: ItemPath {
        get { storage.values.parent }
        set { values.parent = newValue }
    }
    /// The key of the item, unique on its level.
    public var key: String {
        get { storage.values.key }
        set { values.key = newValue }
    }
    /// The version of the row: a row that shows the same has the same version. It is not a version for `ifMatch`.
    public var version: String {
        get { storage.values.version }
        set { values.version = newValue }
    }
    /// The title of the item.
    public var title: String {
        get { storage.values.title }
        set { values.title = newValue }
    }
    /// Whether the item has no children.
    public var isLeaf: Bool {
        get { storage.values.isLeaf }
        set { values.isLeaf = newValue }
    }
    /// The number of the item's children.
    public var count: Int {
        get { storage.values.count }
        set { values.count = newValue }
    }
    /// The fields that were requested. `row["Price"]` is short for `row.fields["Price"]`.
    public var fields: Fields {
        get { storage.values.fields }
        set { values.fields = newValue }
    }
    /// What few rows have.
    var extras: Extras? {
        get { storage.values.extras }
        set { values.extras = newValue }
    }

    private var storage: Storage

    private var values: Storage.Values {
        get { storage.values }
        set { storage = Storage(newValue) }
    }

    /// A row with these values; it is a leaf if `count` is 0.
    public init(
        key: String, below parent: ItemPath = .root, version: String = "", title: String? = nil, count: Int = 0,
        fields: Fields = [:], control: Control? = nil, error: String? = nil
    ) {
        let hasExtras = control != nil || error != nil
        storage = Storage(
            Storage.Values(
                parent: parent, key: key, version: version, title: title ?? key, isLeaf: count == 0, count: count,
                fields: fields, extras: hasExtras ? Extras(Extras.Values(control: control, error: error)) : nil))
    }

    /// The path of the item.
    public var path: ItemPath { parent.appending(key) }
    /// Where a tap leads: the link of the item's level, or of its detail if it is a leaf.
    public var href: String { extras?.values.href ?? (isLeaf ? path.detailLink : path.levelLink) }
    /// The value of a field; nil if the row does not show it.
    public subscript(name: String) -> FieldValue? { fields[name] }
}
