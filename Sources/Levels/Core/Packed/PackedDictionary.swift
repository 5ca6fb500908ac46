internal import Bytes
internal import PropertyLists

/// The fields of a packed dictionary or of a row, read by name.
struct PackedDictionary: ~Escapable {
    let bytes: Span<UInt8>
    let fields: Range<Int>

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, fields: Range<Int>) {
        self.bytes = bytes
        self.fields = fields
    }

    /// The offset of a field's value; nil if the field is missing. If a name is repeated, the last field with the name
    /// counts.
    func value(_ name: String) -> Int? {
        var name = name
        name.makeContiguousUTF8()
        var reader = PackedReader(bytes: bytes, at: fields.lowerBound)
        var found: Int?
        while reader.offset < fields.upperBound {
            if bytes.extracting(reader.run()).isEqual(to: name.utf8Span.span) { found = reader.offset }
            reader.skipValue()
        }
        return found
    }

    /// The offset of the value of the first field with a name; nil if the field is missing.
    func firstValue(_ name: Span<UInt8>) -> Int? {
        var reader = PackedReader(bytes: bytes, at: fields.lowerBound)
        while reader.offset < fields.upperBound {
            if bytes.extracting(reader.run()).isEqual(to: name) { return reader.offset }
            reader.skipValue()
        }
        return nil
    }

    /// The offset of the first value with a name, or else of the value at the name as a path; nil if both are missing.
    func value(under name: Span<UInt8>) -> Int? { firstValue(name) ?? value(along: name) }

    /// The offset of the value under the first of several names, or paths, that the dictionary has; nil if it has none.
    func value(underFirstOf names: [[UInt8]]) -> Int? {
        for name in names {
            if let value = value(under: name.span) { return value }
        }
        return nil
    }

    /// The offset of the value at a path of names with dots between them, through dictionaries; nil if it is missing, and
    /// for a name without a dot.
    func value(along path: Span<UInt8>) -> Int? {
        var (fields, start) = (fields, 0)
        while true {
            let rest = path.extracting(start...)
            let dot = rest.index(of: UInt8(ascii: "."))
            guard dot < rest.count || start > 0 else { return nil }
            let part = PackedDictionary(bytes: bytes, fields: fields)
            guard let value = part.firstValue(rest.extracting(..<dot)) else { return nil }
            guard dot < rest.count else { return value }
            guard let inner = PackedReader(bytes: bytes, at: value).fields else { return nil }
            (fields, start) = (inner, start + dot + 1)
        }
    }

    func scalarText(_ name: String) -> String? { value(name).flatMap { PackedReader(bytes: bytes, at: $0).scalarText } }

    func textRange(_ name: String) -> Range<Int>? { value(name).flatMap { PackedReader(bytes: bytes, at: $0).text } }

    func text(_ name: String) -> String? { textRange(name).map { String(utf8: bytes.extracting($0)) } }

}

/// Reads the value at the offset without moving on.
extension PackedReader {
    /// The range of a text; nil for any other value.
    var text: Range<Int>? {
        var reader = self
        return reader.byte() == PackedTag.string.rawValue ? reader.run() : nil
    }

    /// The range of the fields of a dictionary; nil for any other value.
    var fields: Range<Int>? { content(of: .dictionary) }

    private func content(of container: PackedTag) -> Range<Int>? {
        var reader = self
        guard reader.byte() == container.rawValue else { return nil }
        let size = reader.halfWord()
        return reader.offset..<reader.offset + size
    }

    /// The ranges of the elements of an array, each with its tag; nil for any other value.
    var elements: [Range<Int>]? {
        guard let content = content(of: .array) else { return nil }
        var reader = PackedReader(bytes: bytes, at: content.lowerBound)
        var elements: [Range<Int>] = []
        while reader.offset < content.upperBound {
            let start = reader.offset
            reader.skipValue()
            elements.append(start..<reader.offset)
        }
        return elements
    }

    /// The elements of an array of texts; nil for any other value.
    var texts: [String]? {
        guard let elements else { return nil }
        var texts: [String] = []
        for element in elements {
            guard let text = PackedReader(bytes: bytes, at: element.lowerBound).text else { return nil }
            texts.append(String(utf8: bytes.extracting(text)))
        }
        return texts
    }

    /// A text itself, or the JSON text of a number, a date or a Boolean; nil for any other value.
    var scalarText: String? {
        var reader = self
        let tag = PackedTag(rawValue: reader.byte())
        return tag == .string ? String(utf8: bytes.extracting(reader.run())) : reader.scalar(tag)?.text
    }
}
