internal import Bytes
internal import PropertyLists

/// What an item's dictionary contains, in order: fields of its own, and the places of its structure.
struct ItemContent {
    enum Part {
        case field(PropertyListDictionary.Entry)
        /// A structural field as it is packed.
        case structure(name: [UInt8], packed: [UInt8])
    }

    private(set) var parts: [Part] = []
    /// Whether the item is written as a string.
    private(set) var isString: Bool

    /// The content of an item in its file.
    ///
    /// - Parameter names: what a string's title is called once the item becomes a dictionary.
    init(of item: Item.Step, names: StructuralNames) throws(PropertyListError) {
        let bytes = item.level.bytes
        let row = item.level.row(item.row)
        isString = row.isString
        if isString {
            let title = PropertyListValue.string(item.level.title(item.row))
            parts.append(.field(.init(key: names[.title].first ?? "Title", value: title)))
            return
        }
        for field in PackedField.all(in: row.fields, of: bytes.span) where field.tag != .control {
            if field.isStructure {
                parts.append(
                    .structure(
                        name: Array(copying: bytes.span.extracting(field.name)),
                        packed: Array(copying: bytes.span.extracting(field.value..<field.range.upperBound))))
            } else {
                let value = try PropertyListValue(packed: bytes.span, at: field.value)
                parts.append(.field(.init(key: String(utf8: bytes.span.extracting(field.name)), value: value)))
            }
        }
    }

    /// The item's own fields.
    var fields: PropertyListDictionary {
        PropertyListDictionary(
            parts.compactMap { part in
                if case .field(let entry) = part { entry } else { nil }
            })
    }

    /// Whether the item has a place for a level.
    var hasPlace: Bool {
        parts.contains { part in
            if case .structure(_, let packed) = part { packed.first == PackedTag.hole.rawValue } else { false }
        }
    }

    /// Adds an empty place for rows.
    mutating func addPlace(_ names: StructuralNames) {
        isString = false
        let packed = [PackedTag.hole.rawValue, LevelForm.rows.rawValue]
        parts.append(.structure(name: Array(names.newLevelName(.rows).utf8), packed: packed))
    }

    /// The same structure with other fields: those whose names were there before keep their places, new ones follow the
    /// last of them.
    func replacing(fields new: PropertyListDictionary, _ names: StructuralNames) -> ItemContent {
        let old = fields
        var content = self
        let last = parts.lastIndex { part in
            if case .field = part { true } else { false }
        }
        let added = new.entries.filter { old[$0.key] == nil }.map { Part.field($0) }
        content.parts = last == nil ? added : []
        for (number, part) in parts.enumerated() {
            switch part {
            case .structure: content.parts.append(part)
            case .field(let entry):
                if let value = new[entry.key] { content.parts.append(.field(.init(key: entry.key, value: value))) }
            }
            if number == last { content.parts += added }
        }
        content.isString = isString && new.isTitleAlone(names)
        return content
    }
}

extension PropertyListDictionary {
    /// Whether there is only a title, so that a string says the same.
    fileprivate func isTitleAlone(_ names: StructuralNames) -> Bool {
        guard entries.count == 1, entries[0].key == names[.title].first, case .string = entries[0].value else {
            return false
        }
        return true
    }
}

extension PropertyListValue {
    /// Reads a packed value, which begins with its tag.
    init(packed bytes: Span<UInt8>, at offset: Int) throws(PropertyListError) {
        var builder = PropertyListValueBuilder()
        var walk = PackedWalk()
        _ = try walk.tell(bytes, at: offset, to: &builder)
        guard let value = builder.value else {
            throw PropertyListError("the packed tree is damaged at byte \(offset)")
        }
        self = value
    }
}
