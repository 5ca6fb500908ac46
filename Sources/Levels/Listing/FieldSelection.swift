import Bytes

/// The fields of an item that a row shows.
public enum FieldSelection: Hashable, Sendable {
    /// The short values: numbers, Booleans, dates, and texts of at most `longestShortText` bytes, without the field that
    /// gives the title and without the `Key` (manual, Levels).
    case short
    /// All fields.
    case all
    /// The fields with these names.
    case named(FieldNames)

    /// The largest size of a short text, in bytes of UTF-8.
    public static var longestShortText: Int { ShortText.mostBytes }

    /// Whether a field must be read to show the selected fields.
    public func reaches(_ name: Span<UInt8>) -> Bool {
        if case .named(let names) = self { names.reaches(name) } else { true }
    }
}

extension FieldSelection: CustomStringConvertible {
    /// The text in a query: `*`, the names separated by commas, or `short`.
    public var description: String {
        switch self {
        case .short: "short"
        case .all: "*"
        case .named(let names): names.names.map { String(utf8: $0.span) }.joined(separator: ",")
        }
    }
}
