public import PropertyLists

/// Texts, numbers, dates and data, which are leaves.
extension AnyTreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        tree.note(text)
        let title = try openItem()
        let start = openLeaf()
        tree.fields.string(text)
        try closeLeaf(from: start, title: title)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        let title = try openItem()
        let start = openLeaf()
        tree.fields.data(bytes)
        try closeLeaf(from: start, title: title)
    }

    public mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        try addLeaf { $0.bytes.append(packed: value) }
    }

    public mutating func real(_ value: Double) throws(PropertyListError) {
        try addLeaf { $0.bytes.append(PackedTag.real, value) }
    }

    public mutating func boolean(_ value: Bool) throws(PropertyListError) {
        try addLeaf { $0.bytes.append(value ? PackedTag.yes : .no) }
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        tree.note(date: seconds)
        try addLeaf { $0.bytes.append(PackedTag.date, seconds) }
    }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        try addLeaf { $0.uid(value) }
    }

    @inline(__always)
    private mutating func addLeaf(_ write: (inout PackedFields) -> Void) throws(PropertyListError) {
        let title = try openItem()
        let start = openLeaf()
        write(&tree.fields)
        try closeLeaf(from: start, title: title)
    }
}
