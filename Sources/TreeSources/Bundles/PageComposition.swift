internal import Files
internal import Levels
internal import PropertyLists

/// The pages of a settings bundle, and the document that they make, in every language.
struct PageComposition {
    /// A page that was read.
    private struct Page {
        let content: SettingsPage
        /// The name of the table of its strings.
        let table: String
        /// The names of the files of its child pages, by the numbers of their rows.
        var children: [Int: String] = [:]
        /// Why rows have no page.
        var refusals: [Int: String] = [:]
    }

    private let file: PropertyListFile
    private var pages: [String: Page] = [:]
    /// The names of the pages, each after those that it leads to.
    private var order: [String] = []
    private var warnings: [SourceWarning] = []
    /// The files that were looked at, apart from the root page.
    private(set) var files: BundleFiles

    /// The maximum memory for the pages of all languages, in bytes.
    private static let mostBytes = 64 << 20

    init(of file: PropertyListFile) {
        self.file = file
        files = BundleFiles(folder: PartPlace.folder(of: file.path))
    }

    /// The document of all pages.
    ///
    /// - Throws: `SourceError` for a cycle of pages, or too large a document.
    mutating func compose(_ root: SettingsPage, _ loaded: LoadedTree) throws(SourceError) -> LoadedTree {
        let name = String(file.path.pathNames.last ?? "")
        try readPages(from: root, named: name)
        var strings = BundleStrings()
        strings.read(tables: Set(pages.values.map(\.table)).sorted(), from: &files)
        warnings += strings.warnings
        let plain = try level(of: name) { _ in { _ in nil } }
        let translations = try translations(of: name, by: strings, over: loaded.tree.document)
        let known = max(DocumentWarnings.most - loaded.warnings.count, 0)
        return LoadedTree(
            tree: loaded.tree.replacing(level: plain, translations: translations),
            fingerprint: Fingerprint(of: [loaded.fingerprint, files.fingerprint]) ?? loaded.fingerprint,
            syntax: loaded.syntax, warnings: loaded.warnings + warnings.prefix(known),
            omittedWarnings: loaded.omittedWarnings + max(warnings.count - known, 0))
    }

    // MARK: Reading

    /// Reads all pages that one leads to, without recursion.
    private mutating func readPages(from root: SettingsPage, named name: String) throws(SourceError) {
        pages[name] = page(root, named: name)
        var open = [(name: name, next: 0)]
        while let last = open.last {
            let panes = pages[last.name]?.content.childPanes ?? []
            guard last.next < panes.count else {
                order.append(last.name)
                open.removeLast()
                continue
            }
            open[open.count - 1].next += 1
            let pane = panes[last.next]
            guard let child = pane.file.map({ "\($0).plist" }) else {
                refuse(pane, of: last.name, SourceError("", "the specifier names no 'File', which is its page"))
                continue
            }
            if open.contains(where: { $0.name == child }) {
                throw cycle(open.map(\.name) + [child], at: pane, of: last.name)
            }
            do throws(SourceError) {
                if pages[child] == nil {
                    pages[child] = page(try read(child), named: child)
                    open.append((child, 0))
                }
                pages[last.name]?.children[pane.row] = child
            } catch {
                refuse(pane, of: last.name, error)
            }
        }
    }

    private func page(_ content: SettingsPage, named name: String) -> Page {
        let stem = name.hasSuffix(".plist") ? String(name.dropLast(".plist".count)) : name
        return Page(content: content, table: content.stringsTable ?? stem)
    }

    private mutating func read(_ name: String) throws(SourceError) -> SettingsPage {
        guard let opened = try files.open(name) else {
            throw SourceError(name, "the page does not exist in the folder of the bundle")
        }
        let size = opened.identity.size
        if let refusal = FileRefusal.ofSize(size, limit: file.maximumBytes, path: name) { throw refusal }
        let tree = try tree(of: opened, named: name)
        guard let page = SettingsPage(tree) else {
            throw SourceError(name, "it is not a settings page, which is a dictionary with 'PreferenceSpecifiers'")
        }
        warnings += tree.warnings.first.map { SourceWarning(file: files.path(of: name), warning: $0) }
        return page
    }

    /// Reads a page, without advice on other structural names.
    private func tree(of opened: borrowing DocumentFile, named name: String) throws(SourceError) -> Tree {
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: opened.head())
            var builder = TreeBuilder(names: file.names, limits: file.treeLimits, isXML: syntax == .xml)
            try syntax.read(opened.input, limits: file.propertyListLimits, into: &builder)
            return try builder.finish()
        } catch {
            throw SourceError(name, error)
        }
    }

    /// Notes that a row has no page.
    private mutating func refuse(_ pane: SettingsPage.ChildPane, of page: String, _ error: SourceError) {
        let sentence = error.file.isEmpty ? "\(error.reason)." : "\(error)"
        pages[page]?.refusals[pane.row] = sentence
        let message = error.file.isEmpty ? error.reason : String(sentence.dropLast())
        warnings.append(
            SourceWarning(
                file: files.path(of: page),
                warning: DocumentWarning(
                    position: pane.position, path: "/\(quoted: pane.title)",
                    message: "the row has no page, since \(message)")))
    }

    private func cycle(_ names: [String], at pane: SettingsPage.ChildPane, of page: String) -> SourceError {
        let chain = names.drop { $0 != names.last }.map { "'\(path: $0)'" }.joined(separator: " leads to ")
        return SourceError(
            files.path(of: page), "a page leads back to itself: \(chain); remove one PSChildPaneSpecifier",
            at: pane.position, path: "/\(quoted: pane.title)")
    }

    // MARK: Composing

    /// The document in each language that has texts; nil without any.
    private mutating func translations(
        of root: String, by strings: BundleStrings, over document: Level
    ) throws(SourceError) -> Translations? {
        var variants: [Translations.Variant] = []
        let bytes = pages.values.reduce(0) { $0 + $1.content.level.residentBytes }
        let most = max(Self.mostBytes / max(bytes, 1), 1)
        for language in strings.languages.prefix(most) {
            let level = try level(of: root) { strings.translation(to: language, table: $0) }
            let language = language.language
            variants.append(
                Translations.Variant(
                    name: language.name, language: language.tag, document: document.placing([0: level])))
        }
        if strings.languages.count > most {
            warnings.append(
                SourceWarning(
                    file: files.folder,
                    warning: DocumentWarning(
                        position: .text(line: 1, column: 1), path: "",
                        message: "the pages are too large for more than \(Quantity(most, "language"))")))
        }
        guard !variants.isEmpty else { return nil }
        let hasFallback = variants.contains { $0.name == strings.fallback }
        return Translations(variants: variants, fallback: hasFallback ? strings.fallback : nil)
    }

    /// The level of a page with those of all pages that it leads to.
    ///
    /// - Parameter translation: makes the translation of the texts of a table.
    private func level(
        of root: String, _ translation: (_ table: String) -> (String) -> String?
    ) throws(SourceError) -> Level {
        var levels: [String: Level] = [:]
        for name in order {
            guard let page = pages[name] else { continue }
            var children = page.children.compactMapValues { levels[$0] }
            for (row, sentence) in page.refusals { children[row] = .refused(sentence) }
            let level = page.content.level.translated(translation(page.table)).placing(children)
            let limits = file.treeLimits
            guard level.depth <= limits.depth else {
                throw SourceError(files.path(of: name), "pages nest deeper than \(limits.depth) levels; flatten them")
            }
            guard level.itemCount <= limits.items else {
                throw SourceError(
                    files.path(of: name),
                    "the pages hold more than \(Quantity(limits.items, "item")); remove pages, or raise MaxItems")
            }
            levels[name] = level
        }
        return levels[root] ?? .refused("The page could not be read.")
    }
}
