internal import Files
internal import Levels
internal import PropertyLists

/// The pages of a settings bundle and their strings.
struct BundlePages {
    struct Page {
        let content: SettingsPage
        /// The name of the page's table of strings.
        let table: String
        /// The file names of the child pages, by the rows that lead to them.
        var children: [Int: String] = [:]
        /// The reasons why rows lack their pages, by row.
        var refusals: [Int: String] = [:]
    }

    /// The path of the root page.
    private let path: String
    let interpretation: Interpretation
    /// The root page without its child pages.
    let root: LoadedTree
    /// The pages by file name.
    private(set) var pages: [String: Page] = [:]
    /// The file names of the pages, each after its child pages; the root page is last.
    private(set) var order: [String] = []
    private(set) var strings = BundleStrings()
    private(set) var warnings: [SourceWarning] = []
    /// The files that were looked at, apart from the root page.
    private(set) var files: BundleFiles

    /// Reads a root page's child pages and strings.
    ///
    /// - Throws: `SourceError` for a cycle of pages.
    init(
        of page: SettingsPage, root: LoadedTree, at path: String, by interpretation: Interpretation
    ) throws(SourceError) {
        (self.path, self.interpretation, self.root) = (path, interpretation, root)
        files = BundleFiles(folder: path.folder)
        try readPages(from: page, named: rootName)
        strings.read(tables: Set(pages.values.map(\.table)).sorted(), from: &files)
        warnings += strings.warnings
    }

    /// The name of the root page's file.
    var rootName: String { String(path.pathNames.last ?? "") }

    /// Reads all pages below a page, without recursion.
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
                refuse(
                    pane, of: last.name,
                    error: SourceError("", reason: "the specifier names no 'File', which is its page"))
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
                refuse(pane, of: last.name, error: error)
            }
        }
    }

    private func page(_ content: SettingsPage, named name: String) -> Page {
        let stem = name.hasSuffix(".plist") ? String(name.dropLast(".plist".count)) : name
        return Page(content: content, table: content.stringsTable ?? stem)
    }

    private mutating func read(_ name: String) throws(SourceError) -> SettingsPage {
        guard let opened = try files.open(name) else {
            throw SourceError(name, reason: "the page does not exist in the folder of the bundle")
        }
        let size = opened.identity.size
        if let refusal = FileRefusal.ofSize(size, limit: interpretation.maximumBytes, path: name) { throw refusal }
        let tree = try tree(of: opened, named: name)
        guard let page = SettingsPage(tree) else {
            throw SourceError(
                name, reason: "it is not a settings page, which is a dictionary with 'PreferenceSpecifiers'")
        }
        warnings += tree.warnings.first.map { SourceWarning(files.path(of: name), warning: $0) }
        return page
    }

    /// Reads the tree of a page. An error does not suggest other structural names.
    private func tree(of opened: borrowing DocumentFile, named name: String) throws(SourceError) -> Tree {
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: opened.head())
            var builder = TreeBuilder(
                names: interpretation.names, limits: interpretation.treeLimits, isXML: syntax == .xml)
            try syntax.read(opened.input, limits: interpretation.propertyListLimits, into: &builder)
            return try builder.finish()
        } catch {
            throw SourceError(name, error: error)
        }
    }

    /// Records that a row lacks its page.
    private mutating func refuse(_ pane: SettingsPage.ChildPane, of page: String, error: SourceError) {
        let sentence = error.name.isEmpty ? error.reason.withFullStop : "\(error)"
        pages[page]?.refusals[pane.row] = sentence
        let message = error.name.isEmpty ? error.reason : String(sentence.dropLast())
        warnings.append(
            SourceWarning(
                files.path(of: page), message: "the row has no page, since \(message)", at: pane.position,
                path: "/\(quoted: pane.title)"))
    }

    private func cycle(_ names: [String], at pane: SettingsPage.ChildPane, of page: String) -> SourceError {
        let chain = names.drop { $0 != names.last }.map { "'\(path: $0)'" }.joined(separator: " leads to ")
        return SourceError(
            files.path(of: page), reason: "a page leads back to itself: \(chain); remove one PSChildPaneSpecifier",
            at: pane.position, path: "/\(quoted: pane.title)")
    }
}
