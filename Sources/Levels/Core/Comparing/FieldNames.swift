public import Bytes

/// A set of field names. A look-up compares the bytes of a name in place.
public struct FieldNames: Hashable, Sendable {
    /// The names as UTF-8, each once, in ascending order of their bytes.
    public let names: [[UInt8]]

    /// The maximum number of names in a request; for more, use `*`.
    public static let limit = 256

    /// - Parameter names: the names as UTF-8; repeated names count once.
    public init(_ names: [[UInt8]]) { self.names = Set(names).sorted { $0.lexicographicallyPrecedes($1) } }

    /// Whether a name is in the set.
    @inlinable
    public func contains(_ name: Span<UInt8>) -> Bool {
        for known in names where known.span.isEqual(to: name) { return true }
        return false
    }
}
