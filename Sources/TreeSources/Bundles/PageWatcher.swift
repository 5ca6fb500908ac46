internal import Files
internal import Levels

/// Watches the files beside a settings page: the folders of its pages and strings, and its values document.
///
/// If one of these files changes, all of them are read again, because they are small.
final class PageWatcher {
    private let pages: PageFiles
    private let files: WatchedFiles
    /// The watchers of the values document, if any, and of the bundle; nil if the document is not a settings page.
    private var values, bundle: FileWatcher?
    /// The page of the latest load; nil if the document is not a settings page.
    private(set) var page: LoadedPage?

    /// - Parameters:
    ///   - pages: the files to watch; they need not exist.
    ///   - files: the events and checks that all watchers of a document share.
    init(pages: PageFiles, sharing files: WatchedFiles) {
        (self.pages, self.files) = (pages, files)
        pages.values?.removeRemains()
    }

    /// Loads the files beside a document.
    func load(_ document: LoadedTree) throws(SourceError) -> LoadedTree {
        let isPage = SettingsPage(document.tree) != nil
        values = isPage ? values ?? pages.values.map { FileWatcher(path: $0.path, sharing: files) } : nil
        let (loaded, page) = try pages.load(document, sharing: page?.tree)
        let isSame = page?.bundle.files == self.page?.bundle.files
        self.page = page
        if !isSame { bundle = page.map { watcher(of: $0.bundle.files) } }
        return loaded
    }

    private func watcher(of bundle: BundleFiles) -> FileWatcher {
        let folders = [bundle.folder] + bundle.languageFolders.map(bundle.path)
        return FileWatcher(folders, endings: BundleFiles.endings, since: bundle.fingerprint, sharing: files) {
            bundle.currentFingerprint
        }
    }

    /// The fingerprint of the document and the files beside it. If the document is not a settings page, this is the
    /// document's own fingerprint.
    func fingerprint(with document: Fingerprint?) -> Fingerprint? {
        guard let bundle = page?.bundle.files else { return document }
        return Fingerprint(of: [document, bundle.currentFingerprint] + (values.map { [$0.fingerprint] } ?? []))
    }

    /// The edits that can be saved; nil if the document is not a settings page.
    var savability: Savability? {
        guard page != nil else { return nil }
        guard let values = pages.values else { return .nothing(.noValues) }
        return values.refusal.map(Savability.nothing) ?? .controls
    }

    /// Whether a program has the values document open for writing.
    var isBeingWritten: Bool { pages.values.map { FileLease.isBeingWritten(path: $0.path) } ?? false }

    /// Begins edits of the controls; nil if the document is not a settings page.
    func beginEdits() throws(EditRefusal) -> ControlEdits? {
        guard let page else { return nil }
        guard let file = pages.values, let stored = page.stored else { throw EditRefusal(.noValues) }
        if let refusal = file.refusal { throw EditRefusal(refusal) }
        return ControlEdits(of: page, showing: stored, in: file, saveWorker: files.saveWorker) { [weak self] saved in
            self?.adopt(saved)
        }
    }

    /// Adopts a page whose values were saved, so that the page is not loaded again.
    private func adopt(_ saved: LoadedPage) {
        page = saved
        if let identity = saved.stored?.identity { values?.settle(identity) }
    }
}
