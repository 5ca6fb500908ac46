internal import Bytes

/// The position and the kind of one packed field.
struct PackedField {
    /// The range of the whole field, which begins with the length of the name.
    let range: Range<Int>
    let name: Range<Int>
    /// The offset of the value, which begins with the tag.
    let value: Int
    let tag: PackedTag?

    /// Whether the field marks the place of a level.
    var isHole: Bool { tag == .hole }
    /// Whether details omit the field, because it is structure.
    var isStructure: Bool { tag == .hole || tag == .hidden }

    static func all(in range: Range<Int>, of bytes: Span<UInt8>) -> [PackedField] {
        var fields: [PackedField] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let field = PackedField(at: offset, of: bytes)
            fields.append(field)
            offset = field.range.upperBound
        }
        return fields
    }

    static func last(
        in range: Range<Int>, of bytes: Span<UInt8>, where isWanted: (PackedField) -> Bool
    ) -> PackedField? {
        var last: PackedField?
        var offset = range.lowerBound
        while offset < range.upperBound {
            let field = PackedField(at: offset, of: bytes)
            if isWanted(field) { last = field }
            offset = field.range.upperBound
        }
        return last
    }

    private init(at start: Int, of bytes: Span<UInt8>) {
        var reader = PackedReader(bytes: bytes, at: start)
        name = reader.run()
        value = reader.offset
        tag = PackedTag(rawValue: bytes[value])
        reader.skipValue()
        range = start..<reader.offset
    }
}

extension ByteBuffer {
    /// Appends a field that marks the place of a level.
    mutating func appendPlace(named name: String, form: LevelForm) {
        append(run: Array(name.utf8).span)
        append(PackedTag.hole)
        append(form.rawValue)
    }
}

/// The first byte of a packed value.
///
/// A packed field is a name (its length, then its UTF-8) and a value. A packed dictionary consists of its fields.
/// Lengths and integers are LEB128. A container carries its size in four bytes, so that a reader can skip the
/// container.
public enum PackedTag: UInt8, Sendable {
    /// A boolean, without content.
    case no, yes
    /// An integer, as its magnitude.
    case positive, negative
    /// Eight bytes of a `Double`. For a date, the number is the seconds since 2001-01-01T00:00:00Z.
    case real, date
    /// Length and bytes.
    case string, data
    /// The number of a keyed archive's UID.
    case uid
    /// Size in four bytes, then the elements.
    case array, dictionary
    /// The place of the children. The `LevelForm` of the children follows in one byte.
    case hole
    /// The mark of a structural field, such as `SectionKeys`, that details omit. The value of the field follows. The
    /// field is kept so that the document can be written again.
    case hidden
    /// The control that a row shows. A control is not a field of the item; see `ByteBuffer.append(control:)`.
    case control
}

/// The form of a level's rows in the document.
public enum LevelForm: UInt8, Sendable {
    /// An array of items.
    case rows
    /// An array of arrays.
    case arraysOfRows
    /// `Sections`: an array of dictionaries and arrays.
    case sections
    /// `Sections`: a dictionary of arrays.
    case namedSections
    /// Shape `any`: an array's elements, or a dictionary's entries.
    case elements, entries
    /// Rows made from the specifiers of a settings page; the specifiers themselves stay a field of the root. See
    /// `SettingsPage`.
    case specifiers
    /// `Records`: the values of a `DrillBy` field, each above its records.
    case facets
    /// `Records`: the records themselves.
    case records
    /// A document as it is: an array's elements.
    case list
    /// A document as it is: those values of a dictionary that are rows. Each has a place of its own among the fields.
    case members
    /// A document as it is: no level, but the mark of an item that is written as the value of its one field.
    case value

    /// Whether several rows may have the same key of their own, and are numbered like rows with the same title.
    var allowsSharedKeys: Bool { self == .specifiers || self == .records || isNatural }
    /// Whether the document is read as it is.
    public var isNatural: Bool { self == .list || self == .members }
    /// Whether the rows were made from a table, and are written as its records.
    public var isDrilled: Bool { self == .facets || self == .records }
    /// Whether the key of a row is a field like others, and not a structural `Key`.
    var showsKeys: Bool { isNatural || isDrilled }
}

/// A text that is short enough to title a row, to be its key, or to be shown by a row without being asked.
enum ShortText {
    /// The largest size, in bytes of UTF-8.
    static let mostBytes = 256
}
