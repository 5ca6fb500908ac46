/// A field by which rows are sorted.
public struct SortKey: Hashable, Sendable {
    /// The name of the field; `Title` and `Key` are those of the row.
    public var field: String
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// The least value first.
    public static func ascending(_ field: String) -> SortKey { SortKey(field: field, isDescending: false) }

    /// The greatest value first.
    public static func descending(_ field: String) -> SortKey { SortKey(field: field, isDescending: true) }
}

extension SortKey: ExpressibleByStringLiteral {
    /// The least value first; the greatest one if the name follows a minus sign, as in `"-Price"`.
    public init(stringLiteral text: String) {
        self.init(field: text.hasPrefix("-") ? String(text.dropFirst()) : text, isDescending: text.hasPrefix("-"))
    }
}
