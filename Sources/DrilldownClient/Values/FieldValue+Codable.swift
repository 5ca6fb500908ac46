extension FieldValue: Codable {
    /// Reads any value. The order of a dictionary is the decoder's.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: FieldName.self) {
            self = .dictionary(try Fields(members))
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var list: [FieldValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(FieldValue.self)) }
            self = .list(list)
            return
        }
        self = try Self.scalar(decoder.singleValueContainer())
    }

    /// Which type a scalar has is told by which one can be decoded.
    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> FieldValue {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(UInt64.self) { return .unsigned(number) }
        if let number = try? container.decode(Double.self) { return .real(number) }
        return .text(try container.decode(String.self))
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
        try self.init(decoder.container(keyedBy: FieldName.self))
    }

    fileprivate init(_ members: KeyedDecodingContainer<FieldName>) throws {
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
