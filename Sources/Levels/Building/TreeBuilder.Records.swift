internal import Bytes
internal import PropertyLists

/// Records: dictionaries whose keys are all fields, until the strategy of their list makes items of them.
extension TreeBuilder {
    mutating func openRecord(at position: SourcePosition) throws(PropertyListError) {
        try tree.countItem()
        guard items.count <= tree.limits.depth else { throw nestsTooDeep }
        push(Frame(.record, of: .anything, at: position, base: tree.base))
    }

    /// Adds the row of a record; its title is empty.
    mutating func closeRecord() {
        let frame = pop()
        _ = tree.fields.close(base: frame.base.field)
        let content = frame.base.start..<tree.fields.bytes.count
        tree.add(
            PendingRow(
                fields: content, title: content.upperBound..<content.upperBound, place: PackedPosition(frame.position)),
            level: nil)
    }
}
