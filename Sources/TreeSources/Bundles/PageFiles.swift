internal import Levels
internal import PropertyLists

/// The files beside a settings page: its child pages and strings, in the same folder, and its values document.
struct PageFiles {
    /// The path of the page's file.
    let path: String
    /// The name of the page's file, as the user wrote it.
    let name: String
    let interpretation: Interpretation
    /// The values document, if any.
    let values: ValuesFile?

    /// Loads the files beside a document. The returned page is nil if the document is not a settings page.
    ///
    /// - Parameters:
    ///   - document: the document with the files that it mounts.
    ///   - old: the tree to replace; equal levels are shared with it.
    func load(
        _ document: LoadedTree, sharing old: Tree?
    ) throws(SourceError) -> (loaded: LoadedTree, page: LoadedPage?) {
        guard let root = SettingsPage(document.tree) else { return (warned(document), nil) }
        let bundle = try BundlePages(of: root, root: document, at: path, by: interpretation)
        try checkValues(besides: bundle)
        let page = try LoadedPage(bundle: bundle, stored: try values?.load(), sharing: old)
        return (page.loaded(valuesPath: values?.path), page)
    }

    /// Refuses a values document whose first edit would overwrite a page.
    private func checkValues(besides bundle: BundlePages) throws(SourceError) {
        guard let values, let target = RealPath.existing(values.path) else { return }
        let pages = [path] + bundle.order.map(bundle.files.path)
        guard !pages.contains(where: { RealPath.of($0) == target }) else {
            throw SourceError(
                values.path, reason: "it is one of the settings pages; name another file for their values")
        }
    }

    /// Warns that the values document is not used, because only a settings page uses one.
    private func warned(_ document: LoadedTree) -> LoadedTree {
        guard let values else { return document }
        var document = document
        let message = "the values are not used, because \(path: name) is not a settings page"
        document.warnings.insert(SourceWarning(values.path, message: message), at: 0)
        return document
    }
}
