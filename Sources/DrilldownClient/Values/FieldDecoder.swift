import Foundation

extension Row {
    /// Reads the fields of the row as a value of an app's own type.
    ///
    /// ```swift
    /// struct Product: Decodable {
    ///     var title: String
    ///     var price: Double
    ///     var since: Date?
    /// }
    /// let products = try level.rows.map { try $0.decode(Product.self) }
    /// ```
    ///
    /// A coding key is the name of a field. If the row lacks a field of this name, the key is a path through
    /// dictionaries if it has a dot (`properties.name`), or else the name with a capital letter: `price` is `Price`.
    /// `Title` and `Key` are the title and the key of the row, if it does not show fields of these names. Dates are
    /// read from RFC 3339 text, and data from base64 text.
    ///
    /// - Throws: `FieldError` for a field that is missing or does not fit, and the errors of the type itself.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try FieldDecoder(.dictionary(fields), item: (title, key)).decode(type)
        } catch let error as DecodingError {
            throw FieldError(error, in: fields, of: path)
        }
    }
}

extension Detail {
    /// Reads the fields of the item as a value of an app's own type, like ``Row/decode(_:)``.
    ///
    /// - Throws: `FieldError` for a field that is missing or does not fit, and the errors of the type itself.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try FieldDecoder(.dictionary(fields), item: (title, path.lastKey ?? "")).decode(type)
        } catch let error as DecodingError {
            throw FieldError(error, in: fields, of: path)
        }
    }
}

/// The decoder of values that were already read.
private final class FieldDecoder: Decoder {
    let value: FieldValue
    /// The title and the key of the item whose fields are the value; nil for a value within the fields.
    let item: (title: String, key: String)?
    private let parent: FieldDecoder?
    private let name: (any CodingKey)?
    private let depth: Int

    /// The maximum depth of nested values. A type that contains itself is decoded recursively, and the stack of a
    /// thread may be small.
    private static let deepest = 128

    init(_ value: FieldValue, item: (title: String, key: String)) {
        (self.value, self.item, parent, name, depth) = (value, item, nil, nil, 0)
    }

    init(_ value: FieldValue, at name: any CodingKey, below parent: FieldDecoder) {
        (self.value, self.parent, self.name, depth) = (value, parent, name, parent.depth + 1)
        item = nil
    }

    var codingPath: [any CodingKey] {
        var path = parent?.codingPath ?? []
        if let name { path.append(name) }
        return path
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the value itself.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let plain = type as? any PlainFieldValue.Type {
            guard let value = plain.plain(value) as? Value else { throw mismatch(type) }
            return value
        }
        guard depth < Self.deepest else {
            let reason = "it is nested deeper than \(Self.deepest) values"
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
        }
        return try Value(from: self)
    }

    /// Decodes a value within this value.
    func decode<Value: Decodable>(
        _ type: Value.Type, from value: FieldValue, at name: @autoclosure () -> any CodingKey
    ) throws -> Value {
        try FieldDecoder(value, at: name(), below: self).decode(type)
    }

    /// Decodes a value within this value, without a decoder for it.
    func decode<Value: Decodable & PlainFieldValue>(
        _ type: Value.Type, from value: FieldValue, at name: @autoclosure () -> any CodingKey
    ) throws -> Value {
        if let value = Value.plain(value) { return value }
        throw FieldDecoder(value, at: name(), below: self).mismatch(type)
    }

    func mismatch(_ type: any Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "\(value)"))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let fields) = value else { throw mismatch([String: FieldValue].self) }
        return KeyedDecodingContainer(KeyedFields(decoder: self, fields: fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let elements) = value else { throw mismatch([FieldValue].self) }
        return ListedValues(decoder: self, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension FieldDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }
}

/// The fields of a dictionary, read by the keys of a type.
private struct KeyedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FieldDecoder
    let fields: Fields

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { fields.names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.decode(type, from: value(key), at: key)
    }

    // The most frequent types, for which the compiler generates faster code.
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder.decode(type, from: value(key), at: key)
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder.decode(type, from: value(key), at: key)
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.decode(type, from: value(key), at: key) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decoder.decode(type, from: value(key), at: key)
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        FieldDecoder(try value(key), at: key, below: decoder)
    }

    private func value(_ key: Key) throws -> FieldValue {
        if let value = value(key.stringValue) { return value }
        throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "it is missing"))
    }

    private func value(_ name: String) -> FieldValue? {
        if let value = fields.value(named: name) { return value }
        switch name {
        case "Title", "title": return decoder.item.map { .text($0.title) }
        case "Key", "key": return decoder.item.map { .text($0.key) }
        default: return .none
        }
    }
}

/// The elements of a list, read one after the other.
private struct ListedValues: UnkeyedDecodingContainer {
    let decoder: FieldDecoder
    let elements: [FieldValue]
    private(set) var currentIndex = 0

    init(decoder: FieldDecoder, elements: [FieldValue]) { (self.decoder, self.elements) = (decoder, elements) }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try element(of: FieldValue.self) == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try decoder.decode(type, from: element(of: type), at: ElementIndex(currentIndex))
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        defer { currentIndex += 1 }
        return FieldDecoder(try element(of: FieldValue.self), at: ElementIndex(currentIndex), below: decoder)
    }

    private func element(of type: any Any.Type) throws -> FieldValue {
        if !isAtEnd { return elements[currentIndex] }
        let path = codingPath + [ElementIndex(currentIndex)]
        throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "the list has ended"))
    }
}

/// The coding key of an element of a list.
private struct ElementIndex: CodingKey {
    let intValue: Int?
    var stringValue: String { intValue.map(String.init) ?? "" }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }
}

/// A type that is read from one value, in the form that the service gives it.
private protocol PlainFieldValue {
    /// Returns the value of a field as this type; nil if it is not of this type.
    static func plain(_ value: FieldValue) -> Self?
}

extension PlainFieldValue where Self: BinaryInteger {
    fileprivate static func plain(_ value: FieldValue) -> Self? {
        switch value {
        case .integer(let number): Self(exactly: number)
        case .unsigned(let number): Self(exactly: number)
        case .real(let number): Self(exactly: number)
        default: nil
        }
    }
}

extension Int: PlainFieldValue {}
extension Int8: PlainFieldValue {}
extension Int16: PlainFieldValue {}
extension Int32: PlainFieldValue {}
extension Int64: PlainFieldValue {}
extension UInt: PlainFieldValue {}
extension UInt8: PlainFieldValue {}
extension UInt16: PlainFieldValue {}
extension UInt32: PlainFieldValue {}
extension UInt64: PlainFieldValue {}

extension Double: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value.double } }
extension Float: PlainFieldValue {
    fileprivate static func plain(_ value: FieldValue) -> Self? { value.double.map(Float.init) }
}
extension Bool: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value.bool } }
extension String: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value.text } }
extension Date: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value.date } }
extension Data: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value.data } }
extension URL: PlainFieldValue {
    fileprivate static func plain(_ value: FieldValue) -> Self? { value.text.flatMap { URL(string: $0) } }
}
extension Decimal: PlainFieldValue {
    fileprivate static func plain(_ value: FieldValue) -> Self? {
        // The digits of the number: the nearest `Double` of 0.1 has others.
        value.text == nil && value.double?.isFinite == true ? Decimal(string: value.description) : nil
    }
}
extension Fields: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value.dictionary } }
extension FieldValue: PlainFieldValue { fileprivate static func plain(_ value: FieldValue) -> Self? { value } }
