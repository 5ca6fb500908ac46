/// Why a mapping of structural names cannot be used.
public struct StructuralNamesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence without the final full stop: what is wrong and what would be right.
    public let reason: String
    /// The reason.
    public var description: String { reason }
}
