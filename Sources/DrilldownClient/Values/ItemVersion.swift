/// The version of an item that an edit can be made conditional on with `ifMatch`.
///
/// `Detail.version` is one, and so are `Detail.fieldsVersion`, `Row.fieldsVersion` and, for an insertion,
/// `Level.itemVersion`. The versions of rows, and of levels that were read with a query or come from
/// `updates(of:matching:)`, are only for comparing answers with each other, so they are of another type.
///
/// ```swift
/// let detail = try await server.detail(at: row.path)
/// try await server.patch(["Price": 15], at: detail.path, ifMatch: detail.fieldsVersion)
/// ```
public struct ItemVersion: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text of the version, which is the service's entity tag without quotation marks.
    public let rawValue: String

    /// The version with this text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A version for previews and tests.
    public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension ItemVersion: CustomStringConvertible {
    /// The text of the version.
    public var description: String { rawValue }
}
