public import Levels

/// Where a tree comes from: it is loaded and watched, whatever it is made of.
public protocol TreeSource: Sendable {
    /// What the user calls it: the path of a file as it was given.
    var name: String { get }

    /// Loads the whole tree.
    ///
    /// - Parameter old: the tree this one will replace; levels of the same content are taken over from it.
    /// - Throws: `SourceError` when there is no tree to be had; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The state of the file that a load would read now; nil if there is none or only a load can tell. Cheap to ask.
    var identity: FileIdentity? { get }

    /// The pause before a source that could not be read is read again; nil if its watcher does that by itself.
    var retryInterval: Duration? { get }

    /// A watcher of this source for one thread, which `waker` wakes.
    func watcher(waker: Waker) -> any SourceWatcher
}

/// What one load gave.
public struct LoadedTree: Sendable {
    public let tree: Tree
    /// The file that was read, in the state in which it was read.
    public let identity: FileIdentity
    public let syntax: PropertyListSyntax
    /// The first hundred warnings.
    public let warnings: [SourceWarning]
    /// How many more warnings there were.
    public let omittedWarnings: Int
}
