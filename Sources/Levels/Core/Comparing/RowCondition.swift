import Bytes
import DrilldownDates
import PropertyLists

/// A condition on a row, such as `Price<10`: a relation of a field of the row to a value, or the presence of the field.
///
/// A condition is created from text, as in `RowCondition("Price<10")`; the result is nil for text without a name.
public struct RowCondition: Sendable {
    /// The relation of a field to the value.
    public enum Relation: Sendable {
        case equal, less, atMost, greater, atLeast, containing
        /// The row has the field, whatever its value.
        case present
    }

    /// The part of a row that is compared.
    public let field: RowField
    /// The relation to `value`.
    public let relation: Relation
    /// Whether the condition holds for exactly the rows without the relation. A row without the field is one of them.
    public let isNegated: Bool
    /// The value as written; its interpretation depends on the row's value (manual, Levels).
    public let value: String
    private let wanted: WantedValue

    /// Reads a condition (manual, Levels).
    ///
    /// - Parameter text: a field's name, an operator such as `<=`, and a value; or a name alone, with or without `!`
    ///   before it. In the name, a `\` is before each sign of an operator. The result is nil for an empty name, and for
    ///   an operator after a name with `!` before it.
    public init?(_ text: String) {
        let isAbsence = text.utf8.first == UInt8(ascii: "!")
        var rest = text.utf8.dropFirst(isAbsence ? 1 : 0)
        var name: [UInt8] = []
        while let byte = rest.first, !Self.isSign(byte) {
            let next = rest.dropFirst().first
            let isEscape = byte == UInt8(ascii: "\\") && next.map(Self.isSign) == true
            name.append(isEscape ? next ?? byte : byte)
            rest = rest.dropFirst(isEscape ? 2 : 1)
        }
        guard !name.isEmpty, rest.isEmpty || !isAbsence else { return nil }
        field = RowField(String(decoding: name, as: UTF8.self))
        let found = Self.operators.first { rest.starts(with: $0.text.utf8) }
        relation = found?.relation ?? .present
        isNegated = found?.isNegated ?? isAbsence
        value = String(Substring(rest.dropFirst(found?.text.utf8.count ?? 0)))
        wanted = WantedValue(Array(value.utf8))
    }

    /// Whether the value begins with a sign, as if the operator were one of another language, such as `=~`.
    var hasDoubtfulOperator: Bool { value.utf8.first.map(Self.isSign) ?? false }

    func holds(for row: Row, in bytes: Span<UInt8>) -> Bool {
        guard let value = field.value(of: row, in: bytes) else { return isNegated }
        return matches(value, in: bytes) != isNegated
    }

    /// Whether a value is in the relation.
    private func matches(_ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        guard relation != .present else { return true }
        guard case .array(let elements) = value else { return matches(single: value, in: bytes) }
        guard relation == .equal || relation == .containing else { return false }
        var reader = PackedReader(bytes: bytes, at: elements.lowerBound)
        while reader.offset < elements.upperBound {
            if let element = FieldValue(&reader), matches(single: element, in: bytes) { return true }
        }
        return false
    }

    private func matches(single value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        switch relation {
        case .equal: wanted.isEqual(to: value, in: bytes)
        case .containing: wanted.isContained(in: value, in: bytes)
        case .less, .atMost, .greater, .atLeast: wanted.isInOrder(relation, value, in: bytes)
        case .present: true
        }
    }
}

extension RowCondition {
    /// The operators between a name and a value. An operator comes before its own beginnings.
    private static let operators: [(text: String, relation: Relation, isNegated: Bool)] = [
        ("==", .equal, false), ("!=", .equal, true), ("!:", .equal, true), ("!~", .containing, true),
        ("<=", .atMost, false), ("<>", .equal, true), (">=", .atLeast, false), (":", .equal, false),
        ("=", .equal, false), ("!", .equal, true), ("<", .less, false), (">", .greater, false),
        ("~", .containing, false),
    ]

    /// Whether a byte is a sign of an operator.
    private static func isSign(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: "~"): true
        case UInt8(ascii: "<")...UInt8(ascii: ">"): true
        default: false
        }
    }
}

extension RowCondition: Hashable, CustomStringConvertible {
    public static func == (one: RowCondition, other: RowCondition) -> Bool {
        one.field == other.field && one.relation == other.relation && one.isNegated == other.isNegated
            && one.value == other.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(field)
        hasher.combine(relation)
        hasher.combine(isNegated)
        hasher.combine(value)
    }

    /// The condition as in a query, such as `Price<10`. Different conditions have different descriptions.
    public var description: String {
        var name: [UInt8] = []
        for byte in field.name.utf8 { name += Self.isSign(byte) ? [UInt8(ascii: "\\"), byte] : [byte] }
        let text = String(decoding: name, as: UTF8.self)
        switch relation {
        case .present: return isNegated ? "!\(text)" : text
        // With `!` alone, the beginning of the value could belong to the operator.
        case .equal: return "\(text)\(isNegated ? "!=" : ":")\(value)"
        case .less: return "\(text)<\(value)"
        case .atMost: return "\(text)<=\(value)"
        case .greater: return "\(text)>\(value)"
        case .atLeast: return "\(text)>=\(value)"
        case .containing: return "\(text)\(isNegated ? "!~" : "~")\(value)"
        }
    }
}

extension RowCondition.Relation {
    /// Whether one value is in this relation to another; false for the relations that do not depend on an order, and
    /// for NaN.
    fileprivate func orders<Value: Comparable>(_ one: Value, _ other: Value) -> Bool {
        switch self {
        case .less: one < other
        // NaN is neither less nor greater, so `<=` of `Comparable` does not serve.
        case .atMost: one < other || one == other
        case .greater: other < one
        case .atLeast: other < one || one == other
        case .equal, .containing, .present: false
        }
    }
}

/// The value of a condition, interpreted in each type that can be compared.
struct WantedValue: Sendable {
    private let normalized: [UInt8]
    private let folded: [UInt8]
    private let number: ExactNumber?
    private let moment: Double?
    private let flag: Bool?

    init(_ text: [UInt8]) {
        normalized = ItemKey.normalized(text.span)
        folded = FoldedText.of(text.span)
        number = ExactNumber(text: text.span)
        moment = Timestamp.seconds(text)
        flag = text == Array("true".utf8) ? true : text == Array("false".utf8) ? false : nil
    }

    /// Whether a value equals the wanted value as a number, as text in NFC, as a Boolean or as a date.
    func isEqual(to value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        switch value {
        case .flag(let isTrue): return flag == isTrue
        case .moment(let seconds): return moment == seconds
        case .array, .other: return false
        case .number, .text: break
        }
        if let other = value.number(in: bytes) { return number.map { $0 == other } ?? false }
        guard case .text(let range) = value else { return false }
        return ItemKey.normalized(bytes.extracting(range)).span.isEqual(to: normalized.span)
    }

    /// Whether a value is text whose folded form contains the folded wanted text.
    func isContained(in value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        guard case .text(let range) = value else { return false }
        var text = ByteBuffer(capacity: range.count)
        FoldedText.append(bytes.extracting(range), to: &text)
        return text.span.contains(folded.span)
    }

    /// Whether a value is in a relation of order to the wanted value; false if the two are of different kinds.
    func isInOrder(_ relation: RowCondition.Relation, _ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        if let other = value.number(in: bytes) { return number.map { relation.orders(other, $0) } ?? false }
        switch value {
        case .moment(let seconds): return moment.map { relation.orders(seconds, $0) } ?? false
        case .text(let range):
            guard number == nil else { return false }
            let text = FoldedText.of(bytes.extracting(range))
            return relation.orders(text == folded ? 0 : text.lexicographicallyPrecedes(folded) ? -1 : 1, 0)
        default: return false
        }
    }
}
