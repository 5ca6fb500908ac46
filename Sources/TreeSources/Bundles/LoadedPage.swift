internal import Levels
internal import PropertyLists

/// A settings page as it was loaded, with all that belongs to it.
struct LoadedPage {
    let bundle: BundlePages
    /// Nil without a values document.
    private(set) var stored: StoredValues?
    /// The document of them.
    let tree: Tree
    private let composition: PageComposition

    /// Composes the pages.
    ///
    /// - Parameter old: the tree that this one will replace; equal levels are shared with it.
    /// - Throws: `SourceError` if the document is too large.
    init(_ bundle: BundlePages, stored: StoredValues?, sharing old: Tree?) throws(SourceError) {
        self.bundle = bundle
        self.stored = stored
        let values = stored?.values ?? PropertyListDictionary()
        composition = try PageComposition(of: bundle, showing: values, sharing: old)
        tree = composition.tree
    }

    /// The same pages with other values.
    func storing(_ values: StoredValues) throws(SourceError) -> LoadedPage {
        try LoadedPage(bundle, stored: values, sharing: tree)
    }

    /// The same page after the values that it shows were saved.
    func with(_ saved: StoredValues) -> LoadedPage {
        var page = self
        page.stored = saved
        return page
    }

    /// The result of the load.
    ///
    /// - Parameter path: the path of the values document.
    func loaded(valuesPath path: String?) -> LoadedTree {
        let root = bundle.root
        let warnings = bundle.warnings + composition.warnings + unusableValues(in: path)
        let room = max(DocumentWarnings.most - root.warnings.count, 0)
        return LoadedTree(
            tree: tree, fingerprint: fingerprint, syntax: root.syntax,
            warnings: root.warnings + warnings.prefix(room),
            omittedWarnings: root.omittedWarnings + max(warnings.count - room, 0))
    }

    /// The state of all files when they were read.
    var fingerprint: Fingerprint {
        let values = stored.map { [$0.fingerprint] } ?? []
        let root = bundle.root.fingerprint
        return Fingerprint(of: [root, bundle.files.fingerprint] + values) ?? root
    }

    private func unusableValues(in path: String?) -> [SourceWarning] {
        guard let path else { return [] }
        return composition.unusable.map { value in
            SourceWarning(
                file: path,
                warning: DocumentWarning(
                    position: stored?.positions[value.key] ?? .text(line: 1, column: 1), path: "",
                    message: "'\(quoted: value.key)' \(value.objection); the default shows instead"))
        }
    }
}
