internal import Glibc
public import Levels

/// A file with all that belongs to it if it is a settings page: its child pages and its strings, in the same folder.
///
/// A change of any of these files reloads all of them, because they are small.
public struct PagedFile: TreeSource {
    /// The file itself.
    public let file: PropertyListFile
    public let name: String

    /// - Parameter file: a property list, or the folder of a settings bundle, whose file is `Root.plist`.
    public init(_ file: PropertyListFile) {
        name = file.path
        var file = file
        if let root = Self.rootPage(inBundle: file.path) { file.path = root }
        self.file = file
    }

    /// The file of a settings bundle; nil for a path that is not one.
    private static func rootPage(inBundle path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let root = "\(folder)/Root.plist"
        if folder.hasSuffix(".bundle") { return root }
        return unsafe stat(root, &status) == 0 ? root : nil
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try completed(file.load(replacing: old)).loaded
    }

    /// Adds what belongs to a file that was read; returns the other files that the tree depends on, nil if it is no
    /// page.
    func completed(_ loaded: LoadedTree) throws(SourceError) -> (loaded: LoadedTree, files: BundleFiles?) {
        guard let page = SettingsPage(loaded.tree) else { return (loaded, nil) }
        var composition = PageComposition(of: file)
        return (try composition.compose(page, loaded), composition.files)
    }

    public var retryInterval: Duration? { file.retryInterval }

    public func watcher(sharing files: WatchedFiles) -> any SourceWatcher { PagedFileWatcher(self, sharing: files) }
}
