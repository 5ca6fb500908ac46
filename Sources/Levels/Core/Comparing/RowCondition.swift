import Bytes
import DrilldownDates
import PropertyLists

/// A condition on a row, such as `Price<10`: a field of the row equals a value, differs from it, is less, is greater,
/// or contains a text.
///
/// A condition is created from text, as in `RowCondition("Price<10")`; the result is nil for text without a sign.
public struct RowCondition: Sendable {
    /// The relation of a field to the value. The raw value of a relation is its sign in ASCII.
    public enum Relation: UInt8, Sendable {
        case different = 0x21
        case equal = 0x3A
        case less = 0x3C
        case greater = 0x3E
        case containing = 0x7E
    }

    /// The part of a row that is compared.
    public let field: RowField
    /// The relation to `value`.
    public let relation: Relation
    /// The value as written; its interpretation depends on the row's value (manual, Levels).
    public let value: String
    private let wanted: WantedValue

    /// - Parameter text: a field's name, a sign (`:`, `!`, `<`, `>` or `~`) and a value; the result is nil for text
    ///   without a sign.
    public init?(_ text: String) {
        guard let sign = text.utf8.firstIndex(where: { Relation(rawValue: $0) != nil }),
            let relation = Relation(rawValue: text.utf8[sign])
        else { return nil }
        field = RowField(String(text[..<sign]))
        self.relation = relation
        value = String(text[text.utf8.index(after: sign)...])
        wanted = WantedValue(Array(value.utf8))
    }

    func holds(for row: Row, in bytes: Span<UInt8>) -> Bool {
        // A row without the field also counts as different.
        guard let value = field.value(of: row, in: bytes) else { return relation == .different }
        return matches(value, in: bytes) != (relation == .different)
    }

    /// Whether a value is in the relation; for `different`, whether the value is equal.
    private func matches(_ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        guard case .array(let elements) = value else { return matches(single: value, in: bytes) }
        guard relation != .less, relation != .greater else { return false }
        var reader = PackedReader(bytes: bytes, at: elements.lowerBound)
        while reader.offset < elements.upperBound {
            if let element = FieldValue(&reader), matches(single: element, in: bytes) { return true }
        }
        return false
    }

    private func matches(single value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        switch relation {
        case .equal, .different: wanted.isEqual(to: value, in: bytes)
        case .containing: wanted.isContained(in: value, in: bytes)
        case .less: wanted.isAbove(value, in: bytes)
        case .greater: wanted.isBelow(value, in: bytes)
        }
    }
}

extension RowCondition: Hashable, CustomStringConvertible {
    public static func == (one: RowCondition, other: RowCondition) -> Bool {
        one.field == other.field && one.relation == other.relation && one.value == other.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(field)
        hasher.combine(relation)
        hasher.combine(value)
    }

    /// The condition as written, such as `Price<10`.
    public var description: String { "\(field)\(UnicodeScalar(relation.rawValue))\(value)" }
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

    func isAbove(_ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        compare(value, in: bytes, numbers: <, moments: <, texts: { $0.lexicographicallyPrecedes($1) })
    }

    func isBelow(_ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        compare(value, in: bytes, numbers: >, moments: >, texts: { $1.lexicographicallyPrecedes($0) })
    }

    /// Compares a value with the wanted value; false if the two are of different kinds.
    private func compare(
        _ value: FieldValue, in bytes: Span<UInt8>, numbers: (ExactNumber, ExactNumber) -> Bool,
        moments: (Double, Double) -> Bool, texts: ([UInt8], [UInt8]) -> Bool
    ) -> Bool {
        if let other = value.number(in: bytes) { return number.map { numbers(other, $0) } ?? false }
        switch value {
        case .moment(let seconds): return moment.map { moments(seconds, $0) } ?? false
        case .text(let range): return number == nil && texts(FoldedText.of(bytes.extracting(range)), folded)
        default: return false
        }
    }
}
