internal import Files
public import Levels

/// A source of a tree, which can be loaded and watched.
///
/// A source that needs only its name and a load reports no changes, and cannot be edited.
public protocol TreeSource: Sendable {
    /// The name as the user gave it, such as the path of a file.
    var name: String { get }

    /// Loads the whole tree.
    ///
    /// - Parameter old: the tree this one will replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if no tree can be loaded; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The pause before a source that could not be read is read again; nil if its watcher retries by itself.
    var retryInterval: Duration? { get }

    /// Makes a watcher of this source for one thread.
    func makeWatcher() -> any SourceWatcher
}

extension TreeSource {
    public var retryInterval: Duration? { nil }

    public func makeWatcher() -> any SourceWatcher { UnchangingWatcher(self) }
}

/// Watches a source that reports no changes: it is loaded again only when that is asked for.
private final class UnchangingWatcher: SourceWatcher {
    private let source: any TreeSource

    init(_ source: any TreeSource) { self.source = source }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try source.load(replacing: old) }
}

/// The result of one load.
public struct LoadedTree: Sendable {
    /// The tree.
    public var tree: Tree
    /// What answers instead of the tree, which then is a root without rows; nil for a tree in memory.
    public var rows: (any RowSource)?
    /// The state of the source as it was when it was read.
    public var fingerprint: Fingerprint
    /// The syntax of the document; nil if the source has none.
    public let syntax: PropertyListSyntax?
    /// The first hundred warnings.
    public var warnings: [SourceWarning]
    /// The number of further warnings.
    public var omittedWarnings: Int
    /// The documents that the tree was composed of; nil for one document.
    public var composition: Composition?
    /// The source's own name of this state; nil if the store is to name it.
    public var revision: SourceRevision?
    /// The entries of the source's log up to this state, the oldest first and that of this state last; empty if the
    /// source keeps no log. Each revision in between has an entry.
    public var history: [RevisionEntry] = []
    /// The state of the document's own file as it was when it was read; nil if the source is not a file.
    var identity: FileIdentity?

    /// The result of loading a source that is not a file.
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

/// A source's own name for one of its states; it is the same on every server, and after a restart.
public struct SourceRevision: Sendable, Equatable {
    /// The revision that clients see, as in `/changes`; unique among all states of the source.
    public let name: String
    /// When the state came about, in seconds since 1970.
    public let date: Double

    /// A name with the moment of its state, in seconds since 1970.
    public init(_ name: String, date: Double) { (self.name, self.date) = (name, date) }
}

/// The state of a source when it was read; if two fingerprints are equal, nothing needs to be read again.
///
/// A fingerprint can only be compared with others of the same source; its content is up to the source.
public struct Fingerprint: Sendable, Equatable {
    /// What stays the same if the source is only touched, such as a file's inode and size.
    private let outline: [UInt64]
    /// What also differs if the source is only touched, such as a file's times and permissions.
    private let details: [UInt64]

    /// The state of a source that does not exist.
    public static let missing = Fingerprint(outline: [], details: [])

    /// Creates the fingerprint of a source without parts.
    ///
    /// - Parameters:
    ///   - outline: numbers that do not differ if the source was only touched.
    ///   - details: numbers that differ whenever the source was touched; any change of content changes one of both.
    public init(outline: [UInt64], details: [UInt64]) {
        self.outline = outline
        self.details = details
    }

    /// Creates the fingerprint of a composed source from those of its parts, in a fixed order.
    ///
    /// - Returns: nil if the fingerprint of a part is nil.
    public init?(of parts: some Sequence<Fingerprint?>) {
        var outline: [UInt64] = []
        var details: [UInt64] = []
        for part in parts {
            guard let part else { return nil }
            // The counts mark where the numbers of one part end and those of the next begin.
            outline += [UInt64(part.outline.count)] + part.outline
            details += [UInt64(part.details.count)] + part.details
        }
        self.init(outline: outline, details: details)
    }

    /// Whether the source was probably only touched between the two, as a file whose size is the same.
    public func resembles(_ other: Fingerprint) -> Bool { outline == other.outline }
}
