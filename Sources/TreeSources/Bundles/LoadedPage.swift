internal import Levels
internal import PropertyLists

/// A settings page with its child pages, strings and stored values.
struct LoadedPage {
    let bundle: BundlePages
    /// The stored values; nil without a values document.
    private(set) var stored: StoredValues?
    /// The composed document.
    let tree: Tree
    private let composition: PageComposition

    /// Composes the pages.
    ///
    /// - Parameter old: the tree to replace; equal levels are shared with it.
    /// - Throws: `SourceError` if the document is too large.
    init(bundle: BundlePages, stored: StoredValues?, sharing old: Tree?) throws(SourceError) {
        self.bundle = bundle
        self.stored = stored
        let values = stored?.values ?? PropertyListDictionary()
        composition = try PageComposition(of: bundle, showing: values, sharing: old)
        tree = composition.tree
    }

    /// The same pages with other values.
    func storing(_ values: StoredValues) throws(SourceError) -> LoadedPage {
        try LoadedPage(bundle: bundle, stored: values, sharing: tree)
    }

    /// The same page after its values have been saved.
    func saving(_ saved: StoredValues) -> LoadedPage {
        var page = self
        page.stored = saved
        return page
    }

    /// The page as the result of a load.
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

    /// The fingerprint of all files when they were read.
    var fingerprint: Fingerprint {
        let values = stored.map { [$0.fingerprint] } ?? []
        let root = bundle.root.fingerprint
        return Fingerprint(of: [root, bundle.files.fingerprint] + values) ?? root
    }

    private func unusableValues(in path: String?) -> [SourceWarning] {
        guard let path else { return [] }
        return composition.unusable.map { value in
            SourceWarning(
                path, message: "'\(quoted: value.key)' \(value.objection); the default is shown instead",
                at: stored?.positions[value.key])
        }
    }
}

/// The document composed of a settings bundle's pages and the stored values, in every language.
struct PageComposition {
    private let bundle: BundlePages
    /// The levels of the pages with the stored values, by file name.
    private var levels: [String: Level] = [:]
    /// Stored values that their controls cannot have.
    private(set) var unusable: [UnusableValue] = []
    /// Warnings about the composed pages.
    private(set) var warnings: [SourceWarning] = []
    private(set) var tree: Tree

    /// The maximum memory for the pages of all languages, in bytes.
    private static let mostBytes = 64 << 20

    /// - Parameters:
    ///   - values: the stored values, by key.
    ///   - old: the tree to replace; equal levels are shared with it.
    /// - Throws: `SourceError` if the document is too large.
    init(of bundle: BundlePages, showing values: PropertyListDictionary, sharing old: Tree?) throws(SourceError) {
        self.bundle = bundle
        tree = bundle.root.tree
        for name in bundle.order {
            levels[name] = bundle.pages[name]?.content.level.showing(values) { unusable.append($0) }
        }
        let plain = try level(sharing: old?.document) { _ in { _ in nil } }
        tree = tree.replacing(level: plain, translations: try translations(sharing: old?.translations))
    }

    /// The document in each language of the bundle; nil for a bundle without strings.
    private mutating func translations(sharing old: Translations?) throws(SourceError) -> Translations? {
        var variants: [Translations.Variant] = []
        let strings = bundle.strings
        let bytes = bundle.pages.values.reduce(0) { $0 + $1.content.level.residentBytes }
        let most = max(Self.mostBytes / max(bytes, 1), 1)
        for language in strings.languages.prefix(most) {
            let name = language.language.name
            let level = try level(sharing: old?.variants.first { $0.name == name }?.document) {
                strings.translation(to: language, table: $0)
            }
            variants.append(
                Translations.Variant(
                    name: name, language: language.language.tag, document: tree.document.placing([0: level])))
        }
        if strings.languages.count > most {
            warnings.append(
                SourceWarning(
                    bundle.files.folder,
                    message: "the pages are too large for more than \(Quantity(count: most, noun: "language"))"))
        }
        guard !variants.isEmpty else { return nil }
        let hasFallback = variants.contains { $0.name == strings.fallback }
        return Translations(variants: variants, fallback: hasFallback ? strings.fallback : nil)
    }

    /// The level of the root page with all pages below it.
    ///
    /// - Parameter translation: makes the closure that translates the texts of a table.
    private func level(
        sharing old: Level?, _ translation: (_ table: String) -> (String) -> String?
    ) throws(SourceError) -> Level {
        let pool = old.map(LevelPool.init)
        var composed: [String: Level] = [:]
        for name in bundle.order {
            guard let page = bundle.pages[name], let own = levels[name] else { continue }
            var children = page.children.compactMapValues { composed[$0] }
            for (row, sentence) in page.refusals { children[row] = .refused(sentence) }
            let level = own.translated(translation(page.table)).placing(children)
            try check(level, of: name)
            composed[name] = pool?.adopt(level) ?? level
        }
        return composed[bundle.rootName] ?? .refused("The page could not be read.")
    }

    private func check(_ level: Level, of name: String) throws(SourceError) {
        let limits = bundle.interpretation.treeLimits
        guard level.depth <= limits.depth else {
            throw SourceError(
                bundle.files.path(of: name), reason: "pages nest deeper than \(limits.depth) levels; flatten them")
        }
        guard level.itemCount <= limits.items else {
            throw SourceError(
                bundle.files.path(of: name),
                reason:
                    "the pages hold more than \(Quantity(count: limits.items, noun: "item")); remove pages, or raise MaxItems"
            )
        }
    }
}

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
