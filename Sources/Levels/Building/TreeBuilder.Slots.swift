internal import Bytes
internal import PropertyLists

/// The slots of an item that is gathered: what its structural keys say, as typed values.
extension TreeBuilder {
    func name(ofField field: Int) -> String {
        String(utf8: tree.fields.bytes.span.extracting(tree.fields.start(field).name))
    }

    /// Where the key of a slot is in the document; nil if the slot is empty.
    func position(of slot: Slot, in item: GatheredItem) -> SourcePosition? {
        item.field(itemSlots.number(of: slot)).flatMap { tree.fields.start($0).place.position }
    }

    /// The text of a slot, a number, date or Boolean as JSON writes it; nil if the slot is empty.
    func text(of slot: Slot, in item: GatheredItem) -> String? {
        item.field(itemSlots.number(of: slot)).flatMap {
            tree.fields.scalarText(at: tree.fields.start($0).name.upperBound)
        }
    }

    /// The texts of a slot that is an array; nil if the slot is empty.
    ///
    /// - Throws: `PropertyListError` if any element is not a scalar.
    func texts(of slot: Slot, in item: GatheredItem) throws(PropertyListError) -> [String]? {
        guard let field = item.field(itemSlots.number(of: slot)) else { return nil }
        var reader = PackedReader(tree.fields.bytes.span, at: tree.fields.start(field).name.upperBound)
        var tag = reader.byte()
        if tag == PackedTag.hidden.rawValue { tag = reader.byte() }
        guard tag == PackedTag.array.rawValue else { return nil }
        let size = reader.halfWord()
        let end = reader.offset + size
        var texts: [String] = []
        while reader.offset < end {
            guard let text = tree.fields.scalarText(at: reader.offset) else {
                throw PropertyListError(
                    "'\(quoted: name(ofField: field))' must contain only text", path: currentPath())
            }
            texts.append(text)
            reader.skipValue()
        }
        return texts
    }
}
