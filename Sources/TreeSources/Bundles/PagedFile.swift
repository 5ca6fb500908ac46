internal import Glibc
public import Levels
internal import PropertyLists

/// A file with all that belongs to it if it is a settings page: its child pages and its strings, in the same folder, and
/// its values document.
///
/// A change of any of these files reloads all of them, because they are small.
public struct PagedFile: TreeSource {
    /// The file itself.
    public let file: PropertyListFile
    public let name: String
    /// Has the values of the controls; nil without one.
    var values: ValuesFile?

    /// - Parameters:
    ///   - file: a property list, or the folder of a settings bundle, whose file is `Root.plist`.
    ///   - valuesPath: the file with the values of the controls, which need not exist; nil without one.
    public init(_ file: PropertyListFile, valuesPath: String? = nil) {
        name = file.path
        var file = file
        if let root = Self.rootPage(inBundle: file.path) { file.path = root }
        self.file = file
        values = valuesPath.map { ValuesFile(path: $0, besides: file) }
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

    /// Adds what belongs to a file that was read; the page is nil if the file is not one.
    ///
    /// - Parameter old: the tree that this one will replace; equal levels are shared with it.
    func completed(
        _ loaded: LoadedTree, sharing old: Tree? = nil
    ) throws(SourceError) -> (loaded: LoadedTree, page: LoadedPage?) {
        guard let root = SettingsPage(loaded.tree) else { return (warned(loaded), nil) }
        let bundle = try BundlePages(of: root, loaded, in: file)
        try checkValues(besides: bundle)
        let page = try LoadedPage(bundle, stored: try values?.load(), sharing: old)
        return (page.loaded(valuesPath: values?.path), page)
    }

    /// Refuses a values document whose first edit would overwrite a page.
    private func checkValues(besides bundle: BundlePages) throws(SourceError) {
        guard let values, let target = RealPath.existing(values.path) else { return }
        let pages = [file.path] + bundle.order.map(bundle.files.path)
        guard !pages.contains(where: { RealPath.of($0) == target }) else {
            throw SourceError(values.path, "it is one of the settings pages; name another file for their values")
        }
    }

    /// Adds a warning if there is a values document, because only a settings page has one.
    private func warned(_ loaded: LoadedTree) -> LoadedTree {
        guard let values else { return loaded }
        var loaded = loaded
        let warning = DocumentWarning(
            position: .text(line: 1, column: 1), path: "",
            message: "the values are not used, because \(path: name) is not a settings page")
        loaded.warnings.insert(SourceWarning(file: values.path, warning: warning), at: 0)
        return loaded
    }

    public var retryInterval: Duration? { file.retryInterval }

    public func watcher(sharing files: WatchedFiles) -> any SourceWatcher { PagedFileWatcher(self, sharing: files) }
}
