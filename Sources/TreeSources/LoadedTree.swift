public import Levels

/// The result of one load.
public struct LoadedTree: Sendable {
    /// The tree.
    public let tree: Tree
    /// The state of the source as it was when it was read.
    public let fingerprint: Fingerprint
    /// The syntax of the document.
    public let syntax: PropertyListSyntax
    /// The first hundred warnings.
    public let warnings: [SourceWarning]
    /// The number of further warnings.
    public let omittedWarnings: Int
}
