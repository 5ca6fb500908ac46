internal import Levels
internal import PropertyLists

/// A settings page with its child pages, strings and stored values, in every language.
struct LoadedPage {
    /// The levels of a page's file: as it is written, then in each of the languages.
    private struct PageLevels {
        /// The levels without the pages below.
        let own: [Level]
        let composed: [Level]
    }

    let bundle: BundlePages
    /// The stored values; nil without a values document.
    private(set) var stored: StoredValues?
    private let languages: ArraySlice<BundleStrings.Language>
    /// The levels by file name.
    private var pages: [String: PageLevels] = [:]
    /// Stored values that their controls cannot have.
    private var unusable: [UnusableValue] = []
    /// The composed document.
    private(set) var tree: Tree

    /// The maximum memory for the pages of all languages, in bytes.
    private static let mostBytes = 64 << 20

    /// Composes the pages.
    ///
    /// - Parameter old: the tree to replace; equal levels are shared with it.
    /// - Throws: `SourceError` if the document is too large.
    init(bundle: BundlePages, stored: StoredValues?, sharing old: Tree?) throws(SourceError) {
        (self.bundle, self.stored) = (bundle, stored)
        let bytes = bundle.pages.values.reduce(0) { $0 + $1.content.level.residentBytes }
        languages = bundle.strings.languages.prefix(max(Self.mostBytes / max(bytes, 1), 1))
        tree = bundle.root.tree
        try compose(changing: nil, sharing: old)
    }

    /// The same pages with other values. Makes only the rows again whose values differ.
    func storing(_ new: StoredValues) throws(SourceError) -> LoadedPage {
        let old = stored?.values ?? PropertyListDictionary()
        let keys = Set((old.entries + new.values.entries).map(\.key).filter { old[$0] != new.values[$0] })
        var page = saving(new)
        page.unusable.removeAll { keys.contains($0.key) }
        try page.compose(changing: keys, sharing: nil)
        return page
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
        let warnings = bundle.warnings + omittedLanguages + unusableValues(in: path)
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

    private var omittedLanguages: [SourceWarning] {
        guard languages.count < bundle.strings.languages.count else { return [] }
        let most = Quantity(count: languages.count, noun: "language")
        return [SourceWarning(bundle.files.folder, message: "the pages are too large for more than \(most)")]
    }

    private func unusableValues(in path: String?) -> [SourceWarning] {
        guard let path else { return [] }
        return unusable.map { value in
            SourceWarning(
                path, message: "'\(quoted: value.key)' \(value.objection); the default is shown instead",
                at: stored?.positions[value.key])
        }
    }
}

/// The document composed of the pages and the stored values, in every language.
extension LoadedPage {
    /// Makes the pages and the document in every language.
    ///
    /// - Parameters:
    ///   - keys: the keys of the controls that have changed; nil to make all rows.
    ///   - old: the tree to replace; equal levels are shared with it.
    private mutating func compose(changing keys: Set<String>?, sharing old: Tree?) throws(SourceError) {
        let variants = languages.map { language in
            old?.translations?.variants.first { $0.name == language.language.name }
        }
        let pools = ([old?.document] + variants.map { $0?.document }).map { $0.map { LevelPool($0) } }
        var changed: Set<String> = []
        for name in bundle.order {
            guard let page = bundle.pages[name] else { continue }
            let earlier = pages[name]
            let translations: [Level.Translation] =
                [{ _ in nil }] + languages.map { bundle.strings.translation(to: $0, table: page.table) }
            let change = keys.flatMap { keys in earlier.map { ($0.own, keys) } }
            let own = page.content.level.showing(stored?.values ?? .init(), in: translations, changing: change) {
                unusable.append($0)
            }
            if let earlier, own.elementsEqual(earlier.own, by: ===), changed.isDisjoint(with: page.children.values) {
                continue
            }
            changed.insert(name)
            var composed: [Level] = []
            for (level, pool) in zip(own, pools) {
                let level = placed(page, level, in: composed.count)
                try check(level, of: name)
                composed.append(pool?.adopt(level) ?? level)
            }
            pages[name] = PageLevels(own: own, composed: composed)
        }
        translate()
    }

    /// Puts the root page into the document, in every language.
    private mutating func translate() {
        let variants = languages.enumerated().map { number, language in
            Translations.Variant(
                name: language.language.name, language: language.language.tag,
                document: tree.document.placing([0: rootLevel(in: number + 1)]))
        }
        let fallback = variants.first { $0.name == bundle.strings.fallback }?.name
        tree = tree.replacing(
            level: rootLevel(in: 0),
            translations: variants.isEmpty ? nil : Translations(variants: variants, fallback: fallback))
    }

    private func rootLevel(in language: Int) -> Level {
        pages[bundle.rootName]?.composed[language] ?? .refused("The page could not be read.")
    }

    /// Places the levels of child pages below the rows that lead to them.
    private func placed(_ page: BundlePages.Page, _ level: Level, in language: Int) -> Level {
        var children = page.children.compactMapValues { pages[$0]?.composed[language] }
        for (row, sentence) in page.refusals { children[row] = .refused(sentence) }
        return level.placing(children)
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
