internal import Bytes
internal import PropertyLists

/// The fields of a packed dictionary, read by name.
struct PackedDictionary: ~Escapable {
    /// The bytes that the dictionary is in.
    let bytes: Span<UInt8>
    let fields: Range<Int>

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ fields: Range<Int>) {
        self.bytes = bytes
        self.fields = fields
    }

    /// Where the value of a field begins; nil if the field is missing.
    func value(_ name: String) -> Int? { PackedFieldList.value(named: name, in: bytes, fields) }

    /// A value as text: a string itself, else the JSON text of a number, a date or a Boolean; nil for any other.
    func scalarText(_ name: String) -> String? {
        value(name).flatMap { PackedFieldList.scalarText(at: $0, in: bytes) }
    }

    /// The range of a text; nil for any other value.
    func textRange(_ name: String) -> Range<Int>? {
        guard let value = value(name) else { return nil }
        var reader = PackedReader(bytes, at: value)
        return reader.byte() == PackedTag.string.rawValue ? reader.run() : nil
    }

    /// A text; nil for any other value.
    func text(_ name: String) -> String? { textRange(name).map { String(utf8: bytes.extracting($0)) } }

    /// The range of a value with its tag.
    func packed(at value: Int) -> Range<Int> {
        var reader = PackedReader(bytes, at: value)
        reader.skipValue()
        return value..<reader.offset
    }

    /// The range of a value with its tag; nil if the field is missing.
    func packed(_ name: String) -> Range<Int>? { value(name).map { packed(at: $0) } }

    /// The ranges of the elements of an array; none for any other value.
    func elements(_ name: String) -> [Range<Int>] { value(name).map { elements(at: $0) } ?? [] }

    /// The ranges of the elements of the array at an offset; none if the value there is another.
    func elements(at value: Int) -> [Range<Int>] {
        var reader = PackedReader(bytes, at: value)
        guard reader.byte() == PackedTag.array.rawValue else { return [] }
        let size = reader.halfWord()
        let end = reader.offset + size
        var elements: [Range<Int>] = []
        while reader.offset < end {
            let element = packed(at: reader.offset)
            elements.append(element)
            reader.offset = element.upperBound
        }
        return elements
    }

    /// Whether a field says yes: `true`, a number other than 0, or one of the texts `YES` and `true`.
    func isTrue(_ name: String) -> Bool {
        guard let text = scalarText(name) else { return false }
        return ["true", "yes"].contains(text.lowercased()) || Double(text).map { $0 != 0 } ?? false
    }
}

/// Finds one field among packed ones.
enum PackedFieldList {
    /// Where the value of a field begins (its tag); nil if the field is missing. The last field of a name counts.
    static func value(named name: String, in bytes: Span<UInt8>, _ content: Range<Int>) -> Int? {
        var reader = PackedReader(bytes, at: content.lowerBound)
        var found: Int?
        var name = name
        name.makeContiguousUTF8()
        while reader.offset < content.upperBound {
            let key = reader.run()
            if key.count == name.utf8.count, bytes.extracting(key).isEqual(to: name.utf8Span.span) {
                found = reader.offset
            }
            reader.skipValue()
        }
        return found
    }

    /// The text of a packed string; nil for other values.
    static func text(at value: Int, in bytes: Span<UInt8>) -> Range<Int>? {
        var reader = PackedReader(bytes, at: value)
        return reader.byte() == PackedTag.string.rawValue ? reader.run() : nil
    }

    /// The texts of a packed array; nil if it is not one, or not all of its elements are strings.
    static func texts(at value: Int, in bytes: Span<UInt8>) -> [String]? {
        var reader = PackedReader(bytes, at: value)
        guard reader.byte() == PackedTag.array.rawValue else { return nil }
        let size = reader.halfWord()
        let end = reader.offset + size
        var texts: [String] = []
        while reader.offset < end {
            guard let text = text(at: reader.offset, in: bytes) else { return nil }
            texts.append(String(utf8: bytes.extracting(text)))
            reader.skipValue()
        }
        return texts
    }

    /// Where the value of the first field of a name begins; nil if the field is missing.
    static func firstValue(named name: Span<UInt8>, in bytes: Span<UInt8>, _ content: Range<Int>) -> Int? {
        var reader = PackedReader(bytes, at: content.lowerBound)
        while reader.offset < content.upperBound {
            let key = reader.run()
            if key.count == name.count, bytes.extracting(key).isEqual(to: name) { return reader.offset }
            reader.skipValue()
        }
        return nil
    }
}

extension PackedFieldList {
    /// A string, number, date or Boolean as text: a string itself, else its JSON text; nil for other values.
    static func scalarText(at value: Int, in bytes: Span<UInt8>) -> String? {
        var reader = PackedReader(bytes, at: value)
        switch PackedTag(rawValue: reader.byte()) {
        case .string: return String(utf8: bytes.extracting(reader.run()))
        case .yes: return "true"
        case .no: return "false"
        case .positive: return "\(reader.number())"
        case .negative: return "-\(reader.number())"
        case .real: return JSONText.real(Double(bitPattern: reader.word()))
        case .date: return JSONText.date(Double(bitPattern: reader.word()))
        default: return nil
        }
    }
}
