import Levels
import PropertyLists

/// A property list as a plain value: the order of entries and repeated keys are kept.
enum Value: Equatable, Sendable {
    case string(String)
    case integer(PropertyListInteger)
    case real(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data([UInt8])
    case uid(UInt64)
    case array([Value])
    case dictionary([Entry])

    struct Entry: Equatable, Sendable {
        let key: String
        let value: Value

        init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }
}

extension Value {
    private static let nowhere = SourcePosition.byte(offset: 0)

    /// Sends the value to a consumer, as a reader would.
    func tell<Consumer: PropertyListConsumer & ~Copyable>(
        to consumer: inout Consumer
    ) throws(PropertyListError) {
        switch self {
        case .string(let text): try consumer.string(Array(text.utf8).span)
        case .integer(let value): try consumer.scalar(.integer(value))
        case .real(let value): try consumer.scalar(.real(value))
        case .boolean(let value): try consumer.scalar(.boolean(value))
        case .date(let seconds): try consumer.scalar(.date(seconds))
        case .data(let bytes): try consumer.data(bytes.span)
        case .uid(let value): try consumer.scalar(.uid(value))
        case .array(let values):
            try consumer.beginArray(at: Self.nowhere)
            for value in values { try value.tell(to: &consumer) }
            try consumer.endArray()
        case .dictionary(let entries):
            try consumer.beginDictionary(at: Self.nowhere)
            for entry in entries {
                try consumer.key(Array(entry.key.utf8).span, at: Self.nowhere)
                try entry.value.tell(to: &consumer)
            }
            try consumer.endDictionary()
        }
    }

    /// The tree of items that the value is the document of.
    func tree(pool: LevelPool? = nil, limits: TreeLimits = .init()) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(limits: limits, pool: pool)
        try tell(to: &builder)
        return try builder.finish()
    }

    /// The tree of the value as it is.
    func naturalTree() throws(PropertyListError) -> Tree {
        var survey = NaturalSurvey()
        try tell(to: &survey)
        var builder = NaturalTreeBuilder(survey.finish())
        try tell(to: &builder)
        return try builder.finish()
    }

    /// The tree of shape `any`.
    func anyTree(pool: LevelPool? = nil, limits: TreeLimits = .init()) throws(PropertyListError) -> Tree {
        var builder = AnyTreeBuilder(limits: limits, pool: pool)
        try tell(to: &builder)
        return try builder.finish()
    }
}
