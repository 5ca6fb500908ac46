import Bytes
import PropertyLists

/// A value of the description, written as a Swift literal; members keep their order.
indirect enum JSONNode: Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case string(String)
    case list([JSONNode])
    case object([Member])
    /// Text that is already JSON.
    case json(String)

    typealias Member = (name: String, value: JSONNode)

    /// An object of members.
    init(_ members: [Member]) { self = .object(members) }

    /// A list of texts.
    static func strings(_ texts: [String]) -> JSONNode { .list(texts.map(JSONNode.string)) }

    /// The members of an object; empty for anything else.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The same object with one more member, unless the value is nil.
    func adding(_ name: String, _ value: JSONNode?) -> JSONNode {
        guard case .object(let members) = self, let value else { return self }
        return .object(members + [(name, value)])
    }

    /// Writes the value. Nesting is that of the literals.
    func write(to writer: inout JSONPropertyListWriter) throws(PropertyListError) {
        switch self {
        case .null: writer.null()
        case .flag(let flag): writer.flag(flag)
        case .integer(let number): writer.number(number)
        case .string(let text): try writer.text(text)
        case .json(let text): writer.rawValue(text.utf8Span.span)
        case .list(let elements):
            writer.beginList()
            for element in elements { try element.write(to: &writer) }
            writer.endList()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.key(name.utf8Span.span, at: .byte(offset: 0))
                try value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension JSONNode: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(arrayLiteral elements: JSONNode...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(elements.map { (name: $0.0, value: $0.1) })
    }
}
