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
