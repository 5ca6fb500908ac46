internal import Bytes
internal import PropertyLists

/// Parts: items whose level comes from another file.
extension TreeBuilder {
    /// The text of the innermost item's `Source`; nil without one, and if its value is not text.
    var source: String? {
        @inline(__always)
        get { items.field(sourceSlot).flatMap { text(ofSource: $0) } }
    }

    private func text(ofSource field: Int) -> String? {
        tree.fields.textRange(tree.fields.start(field).name.upperBound).map {
            String(utf8: tree.fields.bytes.span.extracting($0))
        }
    }

    /// The text of a closed item's `Source`.
    ///
    /// It is the title of an item that has neither a title nor a key.
    func sourceText(in content: Range<Int>) -> Range<Int>? {
        PackedFieldList.value(named: PartReference.sourceName, in: tree.fields.bytes.span, content)
            .flatMap { tree.fields.textRange($0) }
    }

    /// Notes that the innermost item's level is that of another document, unless it has its own; returns whether it is.
    @inline(__always)
    mutating func notePart(_ source: String?) -> Bool {
        guard let source, items.levelSlot == 0 else { return false }
        note(.document(source), at: items.innermost.place)
        return true
    }

    /// Notes a reference to a part, if it is the first one to it.
    mutating func note(_ part: PartReference, at place: PackedPosition) {
        guard knownParts.insert(part).inserted else { return }
        parts.append(PartMention(reference: part, position: place.position, path: currentPath() ?? "/"))
    }
}
