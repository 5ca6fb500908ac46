public import Levels

/// A source of a tree, which can be loaded and watched.
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
    ///
    /// - Parameter files: what all watchers of that thread share.
    func watcher(sharing files: WatchedFiles) -> any SourceWatcher
}
