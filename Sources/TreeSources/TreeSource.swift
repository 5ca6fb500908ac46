public import Levels
public import Threads

/// A source of a tree, which can be loaded and watched.
public protocol TreeSource: Sendable {
    /// The name as the user gave it, such as the path of a file.
    var name: String { get }

    /// Loads the whole tree.
    ///
    /// - Parameter old: the tree this one will replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if no tree can be loaded; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The state of the file that a load would read now; nil if there is none or only a load can tell. Cheap to call.
    var identity: FileIdentity? { get }

    /// The pause before a source that could not be read is read again; nil if its watcher retries by itself.
    var retryInterval: Duration? { get }

    /// Makes a watcher of this source for one thread, which `wakeup` wakes.
    func watcher(wakeup: Wakeup) -> any SourceWatcher
}

/// The result of one load.
public struct LoadedTree: Sendable {
    public let tree: Tree
    /// The identity of the file that was read, as it was when it was read.
    public let identity: FileIdentity
    public let syntax: PropertyListSyntax
    /// The first hundred warnings.
    public let warnings: [SourceWarning]
    /// The number of further warnings.
    public let omittedWarnings: Int
}
