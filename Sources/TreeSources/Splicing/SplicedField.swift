internal import Levels
internal import PropertyLists

/// An entry of a dictionary before or after an edit.
struct SplicedField {
    enum Content {
        case packed(WrittenItem.Field)
        case value(PropertyListValue)
    }

    let name: [UInt8]
    let content: Content

    init(_ field: WrittenItem.Field) {
        name = field.name
        content = .packed(field)
    }

    init(_ entry: PropertyListDictionary.Entry) {
        name = Array(entry.key.utf8)
        content = .value(entry.value)
    }

    /// Whether its value is the rows of the item.
    var isPlace: Bool { if case .packed(let field) = content { field.form != nil } else { false } }

    func value() throws(PropertyListError) -> PropertyListValue {
        switch content {
        case .packed(let field): try PropertyListValue(field)
        case .value(let value): value
        }
    }

    /// Whether both have the same value.
    func isSame(as other: SplicedField) throws(PropertyListError) -> Bool {
        if case .packed(let one) = content, case .packed(let other) = other.content {
            return one.form == other.form && one.packed == other.packed
        }
        return try value().isWritten(like: other.value())
    }
}
