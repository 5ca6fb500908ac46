import Bytes
internal import PropertyLists

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

extension PackedFields {
    /// The text of a packed string.
    func textRange(_ value: Int) -> Range<Int>? {
        var reader = PackedReader(bytes.span, at: value)
        return reader.byte() == PackedTag.string.rawValue ? reader.run() : nil
    }

    /// The text of a title: in place, or appended to the fields if it is a number or a date.
    mutating func titleText(_ value: Int) -> Range<Int> {
        if let range = textRange(value) { return range }
        return loose(scalarText(at: value) ?? "")
    }

    /// Appends a text to the fields.
    mutating func loose(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(text)
        return start..<bytes.count
    }

    /// A string, number, date or Boolean as text; nil for other values.
    func scalarText(at value: Int) -> String? { PackedFieldList.scalarText(at: value, in: bytes.span) }
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
