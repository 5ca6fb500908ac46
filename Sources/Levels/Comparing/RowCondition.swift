import Bytes
import PropertyLists

/// A condition on a row, as `Price<10`: whether its field is equal to a value, less, greater, or contains a text.
public struct RowCondition: Sendable, Equatable {
    enum Relation: UInt8, Sendable {
        case equal = 0x3A
        case less = 0x3C
        case greater = 0x3E
        case containing = 0x7E
    }

    let field: RowField
    let relation: Relation
    private let wanted: WantedValue

    /// - Parameter text: a field's name, `:`, `<`, `>` or `~`, and a value; nil for text without one of these signs.
    public init?(_ text: String) {
        guard let sign = text.utf8.firstIndex(where: { Relation(rawValue: $0) != nil }),
            let relation = Relation(rawValue: text.utf8[sign])
        else { return nil }
        field = RowField(String(text[..<sign]))
        self.relation = relation
        wanted = WantedValue(Array(text.utf8[text.utf8.index(after: sign)...]))
    }

    /// Whether the condition holds for a row.
    func holds(for row: Row, in bytes: Span<UInt8>) -> Bool {
        guard let value = field.value(of: row, in: bytes) else { return false }
        guard case .array(let elements) = value else { return holds(for: value, in: bytes) }
        guard relation == .equal || relation == .containing else { return false }
        var reader = PackedReader(bytes, at: elements.lowerBound)
        while reader.offset < elements.upperBound {
            if let element = FieldValue(&reader), holds(for: element, in: bytes) { return true }
        }
        return false
    }

    private func holds(for value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        switch relation {
        case .equal: wanted.isEqual(to: value, in: bytes)
        case .containing: wanted.isContained(in: value, in: bytes)
        case .less: wanted.isAbove(value, in: bytes)
        case .greater: wanted.isBelow(value, in: bytes)
        }
    }
}
