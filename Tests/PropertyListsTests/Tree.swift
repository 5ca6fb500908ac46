import PropertyLists

/// A property list as a value, for comparison; a dictionary is its entries in order, repeated keys and all.
indirect enum Tree: Equatable, Sendable {
    case dictionary([Entry])
    case array([Tree])
    case string(String)
    case integer(PropertyListInteger)
    case real(bits: UInt64)
    case boolean(Bool)
    case date(Double)
    case data([UInt8])
    case uid(UInt64)

    struct Entry: Equatable, Sendable {
        var key: String
        var value: Tree
    }

    /// A real, compared by its bits so that −0.0 and nan are values like others.
    static func real(_ value: Double) -> Tree { .real(bits: value.bitPattern) }

    /// Sends this value to a consumer, as a reader would.
    func tell<Consumer: PropertyListConsumer & ~Copyable>(_ consumer: inout Consumer) throws(PropertyListError) {
        let nowhere = SourcePosition.byte(offset: 0)
        switch self {
        case .dictionary(let entries):
            try consumer.beginDictionary(at: nowhere)
            for entry in entries {
                try consumer.key(Array(entry.key.utf8).span, at: nowhere)
                try entry.value.tell(&consumer)
            }
            try consumer.endDictionary()
        case .array(let elements):
            try consumer.beginArray(at: nowhere)
            for element in elements { try element.tell(&consumer) }
            try consumer.endArray()
        case .string(let text): try consumer.string(Array(text.utf8).span)
        case .integer(let value): try consumer.scalar(.integer(value))
        case .real(let bits): try consumer.scalar(.real(Double(bitPattern: bits)))
        case .boolean(let value): try consumer.scalar(.boolean(value))
        case .date(let seconds): try consumer.scalar(.date(seconds))
        case .data(let bytes): try consumer.data(bytes.span)
        case .uid(let value): try consumer.scalar(.uid(value))
        }
    }

    /// The same with the entries of each dictionary by key, for readers that forget their order.
    var sorted: Tree {
        switch self {
        case .dictionary(let entries):
            .dictionary(
                entries.map { Entry(key: $0.key, value: $0.value.sorted) }
                    .sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) })
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}

extension Tree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(integerLiteral value: Int64) { self = .integer(PropertyListInteger(value)) }
    init(arrayLiteral elements: Tree...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, Tree)...) {
        self = .dictionary(elements.map { Entry(key: $0.0, value: $0.1) })
    }
}
