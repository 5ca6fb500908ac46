public import Levels

/// The result of one load.
public struct LoadedTree: Sendable {
    /// The tree.
    public var tree: Tree
    /// The state of the source as it was when it was read.
    public var fingerprint: Fingerprint
    /// The syntax of the document.
    public let syntax: PropertyListSyntax
    /// The first hundred warnings.
    public var warnings: [SourceWarning]
    /// The number of further warnings.
    public var omittedWarnings: Int
    /// The files that the tree was composed of; nil for one file.
    public var composition: Composition?
    /// The state of the document's own file as it was when it was read.
    var identity: FileIdentity?
}
