public import Foundation

/// A value with the exact type that it will have in the document, for insertions and replacements.
///
/// JSON has no dates, no data, and one type of number, so a new field of a `FieldValue` gets the type of its JSON.
///
/// ```swift
/// let item: PropertyList = ["Title": "Soup", "Since": .date(.now), "Photo": .data(photo), "Price": 4.0]
/// try await server.insert(propertyList: item, into: ["Lunch"])
/// ```
public struct PropertyList: Hashable, Sendable {
    /// The value as answers in JSON show it.
    public let fieldValue: FieldValue
    /// The element of an XML property list.
    private let element: String

    private init(_ fieldValue: FieldValue, element: String) { (self.fieldValue, self.element) = (fieldValue, element) }

    private init(_ fieldValue: FieldValue, _ name: String, _ content: String) {
        self.init(fieldValue, element: "<\(name)>\(content)</\(name)>")
    }

    /// The XML property list.
    var xml: Data { Data("<plist version=\"1.0\">\(element)</plist>".utf8) }

    /// Creates a value from text, a number, a boolean, a list or a dictionary; null becomes an empty text.
    public init(_ value: FieldValue) {
        switch value {
        case .text(let text): self.init(value, "string", text.xmlEscaped)
        case .integer, .unsigned: self.init(value, "integer", value.description)
        case .real(let number): self = .real(number)
        case .boolean(let flag): self.init(value, element: flag ? "<true/>" : "<false/>")
        case .list(let elements): self.init(elements.map { PropertyList($0) })
        case .dictionary(let fields): self.init(fields.map { ($0.name, PropertyList($0.value)) })
        case .null: self.init("", "string", "")
        }
    }

    /// Creates a list.
    public init(_ elements: [PropertyList]) {
        self.init(.list(elements.map(\.fieldValue)), "array", elements.map(\.element).joined())
    }

    /// Creates a dictionary with members in this order.
    public init(_ members: [(String, PropertyList)]) {
        self.init(
            .dictionary(Fields(members.map { ($0, $1.fieldValue) })), "dict",
            members.map { "<key>\($0.xmlEscaped)</key>\($1.element)" }.joined())
    }

    /// Returns a date, to the second.
    public static func date(_ date: Date) -> PropertyList {
        let value = FieldValue.date(
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down)))
        return PropertyList(value, "date", value.description)
    }

    /// Returns data.
    public static func data(_ data: Data) -> PropertyList {
        let value = FieldValue.data(data)
        return PropertyList(value, "data", value.description)
    }

    /// Returns a real number, also if it has no fraction.
    public static func real(_ number: Double) -> PropertyList {
        let text = number.isFinite ? number.description : number.isNaN ? "nan" : number < 0 ? "-infinity" : "+infinity"
        return PropertyList(number.isFinite ? .real(number) : .text(text), "real", text)
    }
}

extension PropertyList: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a text.
    public init(stringLiteral text: String) { self.init(.text(text)) }
    /// Creates a whole number.
    public init(integerLiteral number: Int64) { self.init(.integer(number)) }
    /// Creates a real number.
    public init(floatLiteral number: Double) { self = .real(number) }
    /// Creates a boolean.
    public init(booleanLiteral flag: Bool) { self.init(.boolean(flag)) }
    /// Creates a list.
    public init(arrayLiteral elements: PropertyList...) { self.init(elements) }
    /// Creates a dictionary, in the order of the literal.
    public init(dictionaryLiteral members: (String, PropertyList)...) { self.init(members) }
}

extension String {
    fileprivate var xmlEscaped: String {
        replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: "\r", with: "&#13;")
    }
}
