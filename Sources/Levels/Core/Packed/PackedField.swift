internal import Bytes

/// One packed field: its position and its kind.
struct PackedField {
    /// The range from the length of its name to its end.
    let range: Range<Int>
    let name: Range<Int>
    /// The offset of its tag.
    let value: Int
    let tag: PackedTag?

    /// Whether this is the place of an item's level.
    var isHole: Bool { tag == .hole }
    /// Whether it is a structural field that no detail shows.
    var isStructure: Bool { tag == .hole || tag == .hidden }

    /// Whether the title of a row is part of this field, so that it moves with the field.
    func holdsTitle(of row: Row) -> Bool {
        !row.flags.contains(.hasOwnTitle) && range.contains(row.title.lowerBound)
    }

    /// All fields in some packed bytes.
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

    /// The last field that meets a condition.
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
        var reader = PackedReader(bytes, at: start)
        name = reader.run()
        value = reader.offset
        tag = PackedTag(rawValue: bytes[value])
        reader.skipValue()
        range = start..<reader.offset
    }
}

extension ByteBuffer {
    /// Appends a field that is the place of a level.
    mutating func appendPlace(named name: String, form: LevelForm) {
        append(run: Array(name.utf8).span)
        append(PackedTag.hole)
        append(form.rawValue)
    }
}

extension StructuralNames {
    /// The name for the level of an item that had none.
    func newLevelName(_ form: LevelForm) -> String {
        let role = form == .sections || form == .namedSections ? Role.sections : .children
        return self[role].first ?? "Children"
    }

    /// The name for the rows of a section that had none: `Rows` if that is one of the names.
    var newRowsName: String {
        let names = self[.children]
        return names.contains("Rows") ? "Rows" : names.first ?? "Rows"
    }

    /// The number of sections that an item's `SectionKeys` names; nil without one.
    func listedSections(of item: Item.Step) -> Int? {
        let bytes = item.level.bytes
        let fields = item.level.row(item.row).fields
        for name in self[.sectionKeys] {
            guard let start = PackedFieldList.value(named: name, in: bytes.span, fields) else { continue }
            var reader = PackedReader(bytes.span, at: start)
            guard reader.byte() == PackedTag.hidden.rawValue, reader.byte() == PackedTag.array.rawValue else {
                continue
            }
            let size = reader.halfWord()
            let end = reader.offset + size
            var count = 0
            while reader.offset < end {
                reader.skipValue()
                count += 1
            }
            return count
        }
        return nil
    }
}
