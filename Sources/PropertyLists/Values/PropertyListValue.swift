internal import Bytes

/// A property list value in memory, for small ones: the body of a request, the fields of one item.
///
/// Documents are never held in this form; their readers send events.
public indirect enum PropertyListValue: Sendable {
    case string(String)
    case integer(PropertyListInteger)
    /// May be infinite or not a number; two that are not a number count as different.
    case real(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data([UInt8])
    case uid(UInt64)
    case array([PropertyListValue])
    case dictionary(PropertyListDictionary)
    /// JSON's `null`, which no document can contain: in a merge patch it removes a field (RFC 7396).
    case null
}

extension PropertyListValue: Equatable {
    /// Texts are equal if their UTF-8 is, not by canonical equivalence as Swift's strings are.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)): one.hasSameUTF8(as: other)
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): one == other
        case (.boolean(let one), .boolean(let other)): one == other
        case (.date(let one), .date(let other)): one == other
        case (.data(let one), .data(let other)): one == other
        case (.uid(let one), .uid(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.dictionary(let one), .dictionary(let other)): one == other
        case (.null, .null): true
        default: false
        }
    }
}
