import Bytes
public import PropertyLists

/// Texts, numbers, dates and data: fields, titles, keys, or items.
extension TreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        // If a text has no position of its own, its container's position is used.
        try string(text, at: frames.last?.position ?? .byte(offset: 0))
    }

    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try check(.text)
        if expected.makesItems { return try addStringItem(text, at: position) }
        tree.note(text)
        tree.fields.string(text)
    }

    public mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        try check(.number)
        tree.fields.bytes.append(packed: value)
    }

    public mutating func real(_ value: Double) throws(PropertyListError) {
        try check(.number)
        tree.fields.bytes.append(PackedTag.real, value)
    }

    public mutating func boolean(_ value: Bool) throws(PropertyListError) {
        try check(.boolean)
        tree.fields.bytes.append(value ? PackedTag.yes : .no)
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        tree.note(date: seconds)
        try check(.date)
        tree.fields.bytes.append(PackedTag.date, seconds)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try check(.data)
        tree.fields.data(bytes)
    }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        try check(.uid)
        tree.fields.uid(value)
    }

    @inline(__always)
    private mutating func check(_ kind: ScalarKind) throws(PropertyListError) {
        guard expected.allows(kind) else { throw refusal(of: kind) }
    }
}
