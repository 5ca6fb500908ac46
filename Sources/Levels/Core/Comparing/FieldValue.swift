import Bytes
import PropertyLists

/// The part of a row that is compared: its displayed title, its key, or a field of its item.
public enum RowField: Sendable, Hashable, CustomStringConvertible {
    case title
    case key
    /// The UTF-8 of the field's name.
    case named([UInt8])

    public var description: String { name }

    /// - Parameter name: `Title`, `Key`, or the name of a field.
    public init(_ name: String) {
        switch name {
        case "Title": self = .title
        case "Key": self = .key
        default: self = .named(Array(name.utf8))
        }
    }

    /// The name of the field in a query.
    public var name: String {
        switch self {
        case .title: "Title"
        case .key: "Key"
        case .named(let name): String(utf8: name.span)
        }
    }

    /// Returns the value in a row; nil if the row's item lacks the field. `bytes` are the bytes of the row's level.
    func value(of row: Row, in bytes: Span<UInt8>) -> FieldValue? {
        switch self {
        case .title: return .text(row.title)
        case .key: return .text(row.key)
        case .named(let name):
            guard !row.isString else { return nil }
            return FieldValue.field(named: name.span, of: row, in: bytes)
        }
    }

    func text(of row: Row, in bytes: Span<UInt8>) -> [UInt8]? { value(of: row, in: bytes)?.text(in: bytes) }
}

/// A packed value, decoded for comparison.
enum FieldValue {
    case flag(Bool)
    case number(ExactNumber)
    /// Seconds since 2001-01-01T00:00:00Z.
    case moment(Double)
    /// The range of the text in the level's bytes.
    case text(Range<Int>)
    /// The range of the packed elements.
    case array(Range<Int>)
    /// A dictionary, data or a UID, which cannot be compared.
    case other

    /// Reads the packed value at the reader's offset, and moves the reader past the value. Nil for structure and for a
    /// control.
    init?(_ reader: inout PackedReader) {
        let start = reader.offset
        let tag = PackedTag(rawValue: reader.byte())
        switch tag {
        case .no: self = .flag(false)
        case .yes: self = .flag(true)
        case .positive: self = .number(ExactNumber(magnitude: reader.number(), isNegative: false))
        case .negative: self = .number(ExactNumber(magnitude: reader.number(), isNegative: true))
        case .real: self = .number(.real(Double(bitPattern: reader.word())))
        case .date: self = .moment(Double(bitPattern: reader.word()))
        case .string: self = .text(reader.run())
        case .array:
            let size = reader.halfWord()
            self = .array(reader.offset..<reader.offset + size)
            reader.offset += size
        case .dictionary, .data, .uid:
            self = .other
            reader.offset = start
            reader.skipValue()
        case .hole, .hidden, .control, nil:
            reader.offset = start
            reader.skipValue()
            return nil
        }
    }

    /// Returns the value of a row's field; nil if the field is missing or structural. If the row lacks the field, a name
    /// with dots is a path through dictionaries.
    static func field(named name: Span<UInt8>, of row: Row, in bytes: Span<UInt8>) -> FieldValue? {
        let fields = PackedDictionary(bytes: bytes, fields: row.fields)
        guard let value = fields.firstValue(name) ?? fields.value(along: name) else { return nil }
        var reader = PackedReader(bytes: bytes, at: value)
        return FieldValue(&reader)
    }

    /// The value as a number: a number, or text that is entirely a JSON number; otherwise nil.
    func number(in bytes: Span<UInt8>) -> ExactNumber? {
        switch self {
        case .number(let number): number
        case .text(let range): ExactNumber(text: bytes.extracting(range))
        default: nil
        }
    }

    /// A text, or the JSON text of a number, a date or a Boolean; otherwise nil.
    func text(in bytes: Span<UInt8>) -> [UInt8]? {
        switch self {
        case .text(let range): Array(copying: bytes.extracting(range))
        case .flag(let isTrue): Array((isTrue ? "true" : "false").utf8)
        case .number(.integer(let value)): Array("\(value)".utf8)
        case .number(.real(let value)): Array(JSONText.real(value).utf8)
        case .moment(let seconds): Array(JSONText.date(seconds).utf8)
        case .number(.large), .array, .other: nil
        }
    }
}

extension Row {
    /// Calls a closure with each field among some names, in the order of the names, and with the offset of the field's
    /// value. If the row lacks a field, a name with dots is a path through dictionaries. The closure returns the offset
    /// after the value.
    @inlinable
    public func forEachField<Failure: Error>(
        named names: FieldNames, in bytes: Span<UInt8>,
        _ visit: (_ name: Span<UInt8>, _ value: Int) throws(Failure) -> Int?
    ) throws(Failure) {
        var place = fields.lowerBound
        for name in names.names {
            guard let value = field(name.span, in: bytes, startingAt: place) else { continue }
            let end = try visit(name.span, value.offset)
            // Fields are often asked for in the order of the document.
            if let end, !value.isAtPath { place = end }
        }
    }

    /// The offset of a field's value; nil if the field is missing or structural.
    ///
    /// - Parameter place: the offset of a field, from which the search begins.
    @usableFromInline
    func field(
        _ name: Span<UInt8>, in bytes: Span<UInt8>, startingAt place: Int
    ) -> (offset: Int, isAtPath: Bool)? {
        let found =
            PackedDictionary(bytes: bytes, fields: place..<fields.upperBound).firstValue(name)
            ?? PackedDictionary(bytes: bytes, fields: fields.lowerBound..<place).firstValue(name)
        guard let offset = found ?? PackedDictionary(bytes: bytes, fields: fields).value(along: name),
            // Structure and controls are not fields; they have the highest tags.
            bytes[offset] < PackedTag.hole.rawValue
        else { return nil }
        return (offset, found == nil)
    }

    /// The value of a text field in a row; nil if the field is missing or has another type.
    func text(ofField name: String, in bytes: Span<UInt8>) -> String? {
        guard case .text(let range) = FieldValue.field(named: Array(name.utf8).span, of: self, in: bytes) else {
            return nil
        }
        return String(utf8: bytes.extracting(range))
    }
}
