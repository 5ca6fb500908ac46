internal import Files
public import Levels
public import PropertyLists

/// A source of a tree, which can be loaded and watched.
///
/// A minimal source implements `name` and `load(replacing:)`; it then reports no changes and cannot be edited. A source
/// that watches implements `makeWatcher()` as well:
///
///     struct Constant: TreeSource {
///         let name = "constant"
///         func load(replacing old: Level?) throws(SourceError) -> LoadedTree { LoadedTree(tree: makeTree()) }
///     }
public protocol TreeSource: Sendable {
    /// The name that the user gave, such as the path of a file.
    var name: String { get }

    /// Loads the whole tree.
    ///
    /// - Parameter old: the tree to replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if the source cannot be loaded.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The pause before the store reads an unreadable source again; nil if the watcher itself tries again.
    var retryInterval: Duration? { get }

    /// Makes a watcher of this source for one thread.
    func makeWatcher() -> any SourceWatcher
}

extension TreeSource {
    public var retryInterval: Duration? { nil }

    public func makeWatcher() -> any SourceWatcher { UnchangingWatcher(self) }
}

/// The watcher of a source that reports no changes. Such a source is loaded again on request only.
private final class UnchangingWatcher: SourceWatcher {
    private let source: any TreeSource

    init(_ source: any TreeSource) { self.source = source }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try source.load(replacing: old) }
}

/// The result of one load.
public struct LoadedTree: Sendable {
    /// The tree.
    public var tree: Tree
    /// The rows that answer requests in place of the tree; nil if the tree is in memory. With `rows`, the tree is only
    /// a root without rows.
    public var rows: (any RowSource)?
    /// The state of the source when it was read.
    public var fingerprint: Fingerprint
    /// The syntax of the document; nil if the source is not a document.
    public let syntax: PropertyListSyntax?
    /// The first hundred warnings.
    public var warnings: [SourceWarning]
    /// The number of warnings after the first hundred.
    public var omittedWarnings: Int
    /// The documents that the tree was composed of; nil for a single document.
    public var composition: Composition?
    /// The structural names that the source itself stores; nil for a source that is read with the names of its
    /// interpretation.
    public var names: StructuralNames?
    /// The source's own name for this state; nil to let the store name it.
    public var revision: SourceRevision?
    /// The entries of the source's log up to this state, oldest first, without gaps. The last entry is for this state.
    /// The list is empty for a source without a log.
    public var history: [RevisionEntry] = []
    /// The identity of the document's own file when it was read; nil if the source is not a file.
    var identity: FileIdentity?

    /// Creates the result of loading a source that is not a file.
    public init(
        tree: Tree, fingerprint: Fingerprint = .missing, revision: SourceRevision? = nil,
        history: [RevisionEntry] = [], warnings: [SourceWarning] = [],
        omittedWarnings: Int = 0
    ) {
        self.init(
            tree: tree, fingerprint: fingerprint, syntax: nil, warnings: warnings, omittedWarnings: omittedWarnings)
        (self.revision, self.history) = (revision, history)
    }

    init(
        tree: Tree, fingerprint: Fingerprint, syntax: PropertyListSyntax?, warnings: [SourceWarning],
        omittedWarnings: Int, identity: FileIdentity? = nil
    ) {
        (self.tree, self.fingerprint, self.syntax) = (tree, fingerprint, syntax)
        (self.warnings, self.omittedWarnings, self.identity) = (warnings, omittedWarnings, identity)
    }
}

/// A source's own name for one of its states. The name is the same on every server and after a restart.
public struct SourceRevision: Sendable, Equatable {
    /// The revision that clients see, for example in `/changes`; unique among all states of the source.
    public let name: String
    /// The time of the state, in seconds since 1970.
    public let date: Double

    /// Creates a revision from a name and the time of its state, in seconds since 1970.
    public init(name: String, date: Double) { (self.name, self.date) = (name, date) }
}

/// The state of a source when it was read. A source need not be read again while its fingerprint is unchanged.
///
/// Each source decides the content of its fingerprints, so only fingerprints of the same source are comparable.
public struct Fingerprint: Sendable, Equatable {
    private let numbers: [UInt64]

    /// The state of a source that does not exist.
    public static let missing = Fingerprint([])

    /// Creates the fingerprint of a source without parts from numbers, of which at least one must change with any change
    /// of content.
    public init(_ numbers: [UInt64]) { self.numbers = numbers }

    /// Creates the fingerprint of a composed source from the fingerprints of its parts, in a fixed order.
    ///
    /// - Returns: nil if the fingerprint of a part is nil.
    public init?(of parts: some Sequence<Fingerprint?>) {
        var numbers: [UInt64] = []
        for part in parts {
            guard let part else { return nil }
            // The counts separate the numbers of one part from the numbers of the next.
            numbers += [UInt64(part.numbers.count)] + part.numbers
        }
        self.init(numbers)
    }
}
