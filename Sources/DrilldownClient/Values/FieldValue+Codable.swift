import Foundation

extension FieldValue: Codable {
    /// Reads any value. The order of a dictionary is the decoder's; a real number without a fraction may become a whole one.
    ///
    /// - Throws: `DecodingError` for what is not a value, with the path to it.
    public init(from decoder: any Decoder) throws {
        // A decoder tells the type of a value only by refusing to read it as another one, so each is tried.
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

    /// Writes the value as the encoder's own type for it.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let fields): try fields.encode(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .integer(let number): try container.encode(number)
            case .unsigned(let number): try container.encode(number)
            case .real(let number): try container.encode(number)
            case .boolean(let flag): try container.encode(flag)
            case .list, .dictionary, .null: try container.encodeNil()
            }
        }
    }
}

extension Fields: Codable {
    /// Reads a dictionary. The order is the decoder's.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        self.init(try members.allKeys.map { ($0.stringValue, try members.decode(FieldValue.self, forKey: $0)) })
    }

    /// Writes a dictionary. Whether the order is kept is up to the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: FieldName.self)
        for (name, value) in self { try members.encode(value, forKey: FieldName(stringValue: name)) }
    }
}

/// Any name as the key of a decoder.
private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

extension SingleValueDecodingContainer {
    /// The value, if it is of a type; nil if it is of another. What is wrong further inside is thrown.
    fileprivate func value<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        do {
            return try decode(type)
        } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count <= codingPath.count {
            return nil
        }
    }

    /// The whole number, if it is one that fits the type; nil if it does not fit, or if this is something else.
    ///
    /// How a number that does not fit is refused is up to the decoder: not all throw a `DecodingError`. Nothing that
    /// matters is lost with any other error here, since the value is read as another type then.
    fileprivate func number<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) -> Value? {
        do {
            return try decode(type)
        } catch {
            return nil
        }
    }
}
