import Bytes
import PropertyLists

/// What of a row is compared: its title as it is shown, its key, or a field of its item.
public enum RowField: Sendable, Hashable {
    /// The title as it is shown.
    case title
    /// The key, which is unique on the level.
    case key
    /// The UTF-8 of the field's name.
    case named([UInt8])

    /// - Parameter name: `Title`, `Key`, or the name of a field.
    public init(_ name: String) {
        switch name {
        case "Title": self = .title
        case "Key": self = .key
        default: self = .named(Array(name.utf8))
        }
    }

    /// The value of a row; nil if its item lacks the field.
    ///
    /// - Parameter bytes: the level's.
    func value(of row: Row, in bytes: Span<UInt8>) -> FieldValue? {
        switch self {
        case .title: return .text(row.title)
        case .key: return .text(row.key)
        case .named(let name):
            guard !row.isString else { return nil }
            return FieldValue.field(named: name.span, of: row, in: bytes)
        }
    }
}
