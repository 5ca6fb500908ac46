/// A field by which rows are sorted.
public struct SortKey: Hashable, Sendable {
    /// The name of the field; `Title` and `Key` are those of the row.
    public var field: String
    /// Whether the order is turned round.
    public var isDescending: Bool

    /// The least value first.
    public static func ascending(_ field: String) -> SortKey { SortKey(field: field, isDescending: false) }

    /// The greatest value first.
    public static func descending(_ field: String) -> SortKey { SortKey(field: field, isDescending: true) }
}

extension SortKey: ExpressibleByStringLiteral {
    /// The least value first.
    public init(stringLiteral field: String) { self = .ascending(field) }
}
