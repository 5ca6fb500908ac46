extension FieldValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
}

extension FieldValue: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .integer(number) }
}

extension FieldValue: ExpressibleByFloatLiteral {
    /// A number with a fraction.
    public init(floatLiteral number: Double) { self = .real(number) }
}

extension FieldValue: ExpressibleByBooleanLiteral {
    /// A boolean.
    public init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}

extension FieldValue: ExpressibleByArrayLiteral {
    /// A list.
    public init(arrayLiteral elements: FieldValue...) { self = .list(elements) }
}

extension FieldValue: ExpressibleByDictionaryLiteral {
    /// A dictionary, in the order of the literal.
    public init(dictionaryLiteral fields: (String, FieldValue)...) { self = .dictionary(Fields(fields)) }
}

extension FieldValue: ExpressibleByNilLiteral {
    /// No value: `.null`, not the absence of a field.
    public init(nilLiteral: ()) { self = .null }
}
