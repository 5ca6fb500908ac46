internal import Bytes
internal import PropertyLists

extension TreeBuilder {
    /// Takes over a structural field of an item, packed, without the level whose place it may be.
    ///
    /// The row then has the place, and an editor puts the level there.
    mutating func keep(_ name: Span<UInt8>, packed value: Span<UInt8>) throws(PropertyListError) {
        try key(name, at: .byte(offset: 0))
        // The key of a hidden field is followed by the mark that `value` has too.
        tree.fields.bytes.truncate(to: tree.fields.start(tree.fields.count - 1).name.upperBound)
        tree.fields.bytes.append(value)
    }
}
