// The members that few rows have. Previews and tests may set them, after all others.
extension Row {
    /// The version of the item's own fields, for `ifMatch`; nil unless all fields were requested.
    public var fieldsVersion: ItemVersion? {
        get { extras?.values.fieldsVersion }
        set { setExtra(\.fieldsVersion, to: newValue) }
    }
    /// How the item is edited, if it is a setting.
    public var control: Control? {
        get { extras?.values.control }
        set { setExtra(\.control, to: newValue) }
    }
    /// Why the rows below could not be read, in a sentence.
    public var error: String? {
        get { extras?.values.error }
        set { setExtra(\.error, to: newValue) }
    }
    /// In a search: the titles between the level and the row, outermost first; else nil.
    public var trail: [String]? {
        get { extras?.values.trail }
        set { setExtra(\.trail, to: newValue) }
    }
    /// In an outline: how far the row is indented, from 0; else nil.
    public var indent: Int? {
        get { extras?.values.indent }
        set { setExtra(\.indent, to: newValue) }
    }
    /// In an outline: whether the row's children follow it.
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
        // Among rows of several levels the link is the identity.
        let isOfSeveralLevels = values.trail != nil || values.indent != nil
        values.href = isOfSeveralLevels ? values.href ?? href : nil
        extras = Extras(values)
    }
}
