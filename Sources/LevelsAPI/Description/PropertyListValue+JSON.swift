public import PropertyLists

/// JSON values as literals, and access to their parts.
extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) { self = .object(elements) }

    static func number(_ value: Int) -> PropertyListValue { .integer(PropertyListInteger(Int64(value))) }

    static func strings(_ texts: [String]) -> PropertyListValue { .array(texts.map(PropertyListValue.string)) }

    static func object(_ members: [(name: String, value: PropertyListValue)]) -> PropertyListValue {
        .dictionary(members.reduce(into: PropertyListDictionary()) { $0[$1.name] = $1.value })
    }

    static func reference(_ kind: String, name: String) -> PropertyListValue {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }

    /// The same value, in which the name of a schema in each reference is replaced by a full reference.
    var resolved: PropertyListValue {
        switch self {
        case .array(let elements): .array(elements.map(\.resolved))
        case .dictionary:
            if case .string(let name) = self["$ref"] {
                .reference("schemas", name: name)
            } else {
                .object(members.map { ($0.name, $0.value.resolved) })
            }
        default: self
        }
    }

    /// The members of an object, in order; empty for any other value.
    var members: [(name: String, value: PropertyListValue)] {
        guard case .dictionary(let members) = self else { return [] }
        return members.entries.map { ($0.key, $0.value) }
    }

    subscript(name: String) -> PropertyListValue? {
        get { if case .dictionary(let members) = self { members[name] } else { nil } }
        set {
            guard case .dictionary(var members) = self else { return }
            members[name] = newValue
            self = .dictionary(members)
        }
    }

    /// The text of a member; an empty text if the member is missing or is not a text.
    func text(_ name: String) -> String { if case .string(let text) = self[name] { text } else { "" } }

    /// The texts in a member that is a list; an empty list if the member is missing or is not a list.
    func texts(_ name: String) -> [String] {
        guard case .array(let elements) = self[name] else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
