import DrilldownDates
public import Foundation

/// The value of a field: a value of a property list, in the form in which JSON carries it.
///
/// JSON carries a date as RFC 3339 text and data as base64 text, so dates and data are read as `text`. The properties
/// `date` and `data` convert the text.
///
/// ```swift
/// let price = row.fields["Price"]?.double
/// let changes: Fields = ["Price": 12.5, "Tags": ["new", "red"], "Since": .date(.now)]
/// ```
public enum FieldValue: Hashable, Sendable {
    /// A text; also a date, data, or a real number that JSON cannot carry (`nan`, `+infinity`, `-infinity`).
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A whole number greater than `Int64.max`.
    case unsigned(UInt64)
    /// A number with a fraction or an exponent.
    case real(Double)
    /// A boolean.
    case boolean(Bool)
    /// A list.
    case list([FieldValue])
    /// A dictionary, in the order of the document.
    case dictionary(Fields)
    /// No value; also made by the literal `nil`. In the changes of a patch, it removes the field from the item.
    case null
}

extension FieldValue {
    /// The text; nil if the value is not a text.
    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The value as a whole number, if the value is a number without a fraction and fits into `Int`; otherwise nil.
    public var int: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .unsigned(let number): Int(exactly: number)
        case .real(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The value as a number, rounded to `Double`; nil if the value is not a number. The texts `nan`, `+infinity` and
    /// `-infinity` count as numbers.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        case .text("nan"): .nan
        case .text("+infinity"): .infinity
        case .text("-infinity"): -.infinity
        default: nil
        }
    }

    /// The boolean; nil if the value is not a boolean.
    public var bool: Bool? {
        guard case .boolean(let flag) = self else { return nil }
        return flag
    }

    /// The elements of a list; nil if the value is not a list.
    public var list: [FieldValue]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// The fields of a dictionary; nil if the value is not a dictionary.
    public var dictionary: Fields? {
        guard case .dictionary(let fields) = self else { return nil }
        return fields
    }

    /// The date, if the value is an RFC 3339 text such as `2001-03-12T00:00:00Z`; otherwise nil.
    public var date: Date? {
        // A day without a time is not a timestamp of RFC 3339.
        guard let text, text.utf8.count > 10, let seconds = Timestamp.seconds(Array(text.utf8)) else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The data, if the value is a base64 text; otherwise nil.
    public var data: Data? { text.flatMap { Data(base64Encoded: $0) } }

    /// Returns a date in the form of the service: RFC 3339 text in UTC, to the microsecond.
    ///
    /// A date outside the years 1 to 9999 becomes the first or the last second of these years.
    public static func date(_ date: Date) -> FieldValue {
        let range = CivilDate.secondsRange
        let seconds = max(range.lowerBound, min(range.upperBound, date.timeIntervalSinceReferenceDate))
        return .text(Timestamp.text(seconds) ?? "")
    }

    /// Returns data in the form of the service: base64 text.
    public static func data(_ data: Data) -> FieldValue { .text(data.base64EncodedString()) }

    /// Creates a whole number; nil if it fits neither into `Int64` nor into `UInt64`.
    public init?(_ number: some BinaryInteger) {
        if let number = Int64(exactly: number) {
            self = .integer(number)
        } else if let number = UInt64(exactly: number) {
            self = .unsigned(number)
        } else {
            return nil
        }
    }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a text.
    public init(stringLiteral text: String) { self = .text(text) }
}

extension FieldValue: ExpressibleByIntegerLiteral {
    /// Creates a whole number.
    public init(integerLiteral number: Int64) { self = .integer(number) }
}

extension FieldValue: ExpressibleByFloatLiteral {
    /// Creates a number with a fraction.
    public init(floatLiteral number: Double) { self = .real(number) }
}

extension FieldValue: ExpressibleByBooleanLiteral {
    /// Creates a boolean.
    public init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}

extension FieldValue: ExpressibleByArrayLiteral {
    /// Creates a list.
    public init(arrayLiteral elements: FieldValue...) { self = .list(elements) }
}

extension FieldValue: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary, in the order of the literal.
    public init(dictionaryLiteral fields: (String, FieldValue)...) { self = .dictionary(Fields(fields)) }
}

extension FieldValue: ExpressibleByNilLiteral {
    /// Creates `.null`, which is not the same as a missing field.
    public init(nilLiteral: ()) { self = .null }
}

extension FieldValue {
    /// Reads JSON. Unlike with `JSONDecoder`, dictionaries keep their order, and real numbers stay real.
    public init(json: Data) throws {
        var reader = JSONReader([UInt8](json))
        self = try reader.value()
        try reader.end()
    }
}

extension FieldValue: Codable {
    /// Reads any value. The decoder determines the order of a dictionary; a real number without a fraction may become a
    /// whole number.
    ///
    /// - Throws: `DecodingError`, with the path of the value, if the type of a value is not supported.
    public init(from decoder: any Decoder) throws {
        // A decoder reveals the type of a value only by refusing other types, so each type is tried.
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try container.value(Bool.self) {
            self = .boolean(flag)
        } else if let number = container.number(Int64.self) {
            self = .integer(number)
        } else if let number = container.number(UInt64.self) {
            self = .unsigned(number)
        } else if let number = try container.value(Double.self) {
            self = .real(number)
        } else if let text = try container.value(String.self) {
            self = .text(text)
        } else if let elements = try container.value([FieldValue].self) {
            self = .list(elements)
        } else if let fields = try container.value(Fields.self) {
            self = .dictionary(fields)
        } else if let date = try container.value(Date.self) {
            self = .date(date)
        } else {
            self = .data(try container.decode(Data.self))
        }
    }

    /// Writes the value in the encoder's own form for the type of the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let fields): try fields.encode(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            let value: (any Encodable)? =
                switch self {
                case .text(let text): text
                case .integer(let number): number
                case .unsigned(let number): number
                case .real(let number): number
                case .boolean(let flag): flag
                case .list, .dictionary, .null: nil
                }
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}

extension Fields: Codable {
    /// Reads a dictionary. The decoder determines the order.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        self.init(try members.allKeys.map { ($0.stringValue, try members.decode(FieldValue.self, forKey: $0)) })
    }

    /// Writes a dictionary. The encoder may change the order.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: FieldName.self)
        for (name, value) in self { try members.encode(value, forKey: FieldName(stringValue: name)) }
    }
}

/// A coding key with any name.
private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

extension SingleValueDecodingContainer {
    /// Returns the value if it has the given type; nil if it has another type. Throws the error of a nested value.
    fileprivate func value<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        do {
            return try decode(type)
        } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count <= codingPath.count {
            return nil
        }
    }

    /// Returns the value if it is a whole number that fits the type; otherwise nil.
    ///
    /// Any error results in nil, because decoders throw different errors for a number that does not fit, not only
    /// `DecodingError`. An error with another cause occurs again when the value is read as another type.
    fileprivate func number<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) -> Value? {
        do {
            return try decode(type)
        } catch {
            return nil
        }
    }
}
