internal import Bytes
public import PropertyLists

/// An item in a document's text, for a writer that preserves the text.
public enum WrittenItem {
    /// A string, which is the title.
    case string([UInt8])
    /// The root of a document that is an array.
    case array(LevelForm)
    /// The entries of a dictionary, in document order.
    case dictionary([Field])

    public enum Kind { case string, array, dictionary }

    /// An entry of an item's or a section's dictionary.
    public struct Field: Sendable {
        /// The key, in UTF-8.
        public let name: [UInt8]
        /// The form of the rows, if the entry is the place of the rows; nil if the entry is a value.
        public let form: LevelForm?
        /// The packed value; empty for the place of the rows.
        public let packed: [UInt8]
    }
}

extension WrittenItem.Field {
    /// Sends the value to a consumer.
    public func tell(to consumer: inout some PropertyListConsumer & ~Copyable) throws(PropertyListError) {
        var walk = PackedWalk()
        _ = try walk.tell(packed.span, at: 0, to: &consumer)
    }

    /// The entries of a packed dictionary that the document contains: all entries except a `control`.
    fileprivate static func all(in range: Range<Int>, of bytes: [UInt8]) -> [WrittenItem.Field] {
        PackedField.all(in: range, of: bytes.span).compactMap { field in
            guard field.tag != .control else { return nil }
            guard !field.isHole else { return WrittenItem.Field(place: field, in: bytes) }
            return WrittenItem.Field(
                name: Array(bytes[field.name]), form: nil, packed: Array(bytes[field.value..<field.range.upperBound]))
        }
    }

    /// Creates the entry for the place of the rows.
    fileprivate init(place: PackedField, in bytes: [UInt8]) {
        self.init(
            name: Array(bytes[place.name]), form: LevelForm(rawValue: bytes[place.value + 1]) ?? .rows, packed: [])
    }
}

extension Item.Step {
    /// The item as written in the document.
    public var written: WrittenItem {
        let row = level.row(row)
        return switch writtenKind {
        case .string: .string(Array(level.bytes[row.title]))
        case .array: .array(below?.form ?? .rows)
        case .dictionary: .dictionary(WrittenItem.Field.all(in: row.fields, of: level.bytes))
        }
    }

    /// The entry that is the place of the item's rows; nil without such an entry.
    public var place: WrittenItem.Field? {
        let row = level.row(row)
        let bytes = level.bytes
        guard !row.isString, let place = PackedField.last(in: row.fields, of: bytes.span, where: \.isHole) else {
            return nil
        }
        return WrittenItem.Field(place: place, in: bytes)
    }

    /// The kind of `written`.
    public var writtenKind: WrittenItem.Kind {
        let row = level.row(row)
        if row.isString { return .string }
        return row.fields.isEmpty && !row.isRecord ? .array : .dictionary
    }
}

/// An array of rows in a document: the rows of an item, or the rows of one of the item's sections.
public struct WrittenSection: Sendable {
    public let rows: Range<Int>
    /// The section's title; empty without a title. If the sections are a dictionary, the title is the section's name in
    /// that dictionary.
    public let name: [UInt8]
    /// The entries of the section's dictionary; nil if the section is a bare array.
    public let fields: [WrittenItem.Field]?

    init(rows: Range<Int>, name: [UInt8], fields: [WrittenItem.Field]?) {
        self.rows = rows
        self.name = name
        self.fields = fields
    }

    /// Creates an array without rows.
    public init(noRowsNamed name: [UInt8]) { self.init(rows: 0..<0, name: name, fields: nil) }
}

extension Level {
    /// The level's arrays of rows in the document, including hidden arrays. A plain list is one array.
    public var writtenSections: [WrittenSection] {
        guard form != .rows else { return [WrittenSection(rows: 0..<rowCount, name: [], fields: nil)] }
        return allSections.map { section in
            WrittenSection(
                rows: section.rows, name: Array((section.title ?? "").utf8),
                fields: section.fields.isEmpty
                    ? nil : WrittenItem.Field.all(in: 0..<section.fields.count, of: section.fields))
        }
    }
}
