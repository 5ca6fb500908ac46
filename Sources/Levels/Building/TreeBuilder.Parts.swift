internal import Bytes
internal import PropertyLists

/// Parts: items whose level comes from another file.
extension TreeBuilder {
    /// The text of the innermost item's `Source`; nil without one, and if its value is not text.
    var source: String? {
        guard holdsSources, let field = items.field(sourceSlot) else { return nil }
        return tree.fields.textRange(tree.fields.start(field).name.upperBound).map {
            String(utf8: tree.fields.bytes.span.extracting($0))
        }
    }

    /// The row of the innermost item, which may have a `Source`: its level is that of another document, unless it has
    /// its own.
    @inline(never)
    mutating func rowWithSource() throws(PropertyListError) -> PendingRow {
        guard let source else { return try row() }
        let isPart = items.levelSlot == 0 && pageField == nil
        if isPart { note(.document(source), at: items.innermost.place) }
        var row = isNamed ? try row() : try rowTitledBySource()
        if isPart { row.marks.insert(.isPart) }
        return row
    }

    /// Whether the innermost item has a title or a key, or is the root, which needs none.
    private var isNamed: Bool {
        let content = items.innermost.base.start..<tree.fields.bytes.count
        return items.count == 1 || items.field(keySlot) != nil
            || items.field(titleSlot) != nil && titleValue(in: content) != nil
    }

    /// The row of an item that shows the path of its document, until that is mounted and has a title.
    private mutating func rowTitledBySource() throws(PropertyListError) -> PendingRow {
        let (base, place) = (items.innermost.base, items.innermost.place)
        let arrangesLevel = try checkOrder()
        _ = tree.fields.close(base: base.field)
        let content = base.start..<tree.fields.bytes.count
        let value = PackedFieldList.value(named: PartReference.sourceName, in: tree.fields.bytes.span, content)
        let title = value.flatMap { tree.fields.textRange($0) } ?? content.upperBound..<content.upperBound
        return PendingRow(
            fields: content, title: title, marks: arrangesLevel ? .arrangesLevel : [], place: place)
    }

    /// Notes a reference to a part, if it is the first one to it.
    mutating func note(_ part: PartReference, at place: PackedPosition) {
        guard knownParts.insert(part).inserted else { return }
        parts.append(PartMention(reference: part, position: place.position, path: currentPath() ?? "/"))
    }
}
