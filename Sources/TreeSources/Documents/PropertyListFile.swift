internal import Glibc
public import Levels
public import PropertyLists

/// A property list file as a source: XML, binary or JSON, detected from its content, with the files that it mounts, or
/// all that belongs to it if it is a settings page.
public struct PropertyListFile: TreeSource {
    public let name: String
    /// The path as the user gave it; a relative path is relative to the working directory.
    public let path: String
    /// How its bytes become a tree.
    public var interpretation: Interpretation
    /// How often the file is checked, if the file system does not report changes.
    public let pollInterval: Duration
    /// Has the values of the controls, if it is a settings page; nil without one.
    var values: ValuesFile?

    /// The file at a path; it is not opened before a load.
    ///
    /// - Parameters:
    ///   - name: how the user named it; by default its path.
    ///   - valuesPath: the file with the values of a settings page's controls, which need not exist; nil without one.
    public init(
        path: String, name: String? = nil, interpretation: Interpretation = .init(),
        pollInterval: Duration = .seconds(2), valuesPath: String? = nil
    ) {
        self.path = path
        self.name = name ?? path
        self.interpretation = interpretation
        self.pollInterval = pollInterval
        values = valuesPath.map { ValuesFile(path: $0, besides: interpretation) }
    }

    /// The file of a settings bundle, which is a folder with a page `Root.plist`; nil for a path that is not one.
    public static func rootPage(inBundle path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let root = "\(folder)/Root.plist"
        if folder.hasSuffix(".bundle") { return root }
        return unsafe stat(root, &status) == 0 ? root : nil
    }

    var maximumBytes: Int { interpretation.maximumBytes }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let composed = try DocumentComposer(self).compose(loadAlone(replacing: old))
        return try pages.load(composed, sharing: nil).loaded
    }

    /// What belongs to it if it is a settings page.
    var pages: PageFiles { PageFiles(path: path, name: name, interpretation: interpretation, values: values) }

    /// Loads the file without the parts that it refers to.
    ///
    /// - Parameter afterReading: a hook for tests between the reading and the check for changes.
    func loadAlone(replacing old: Level?, afterReading: () -> Void = {}) throws(SourceError) -> LoadedTree {
        let pool = old.map(LevelPool.init)
        return try DocumentFile.read(path: path, maximumBytes: maximumBytes) { file in
            defer { afterReading() }
            do throws(SourceError) {
                return .success(try interpretation.load(file, named: path, pool: pool))
            } catch {
                return .failure(error)
            }
        }
    }

    public var retryInterval: Duration? { pollInterval }

    public func makeWatcher() -> any SourceWatcher { DocumentWatcher(self, sharing: WatchedFiles()) }
}

extension PropertyListFile {
    /// Reads the file into a custom consumer, which interprets the values in another way than as a tree.
    ///
    /// - Throws: `SourceError` if the file cannot be read, or the consumer refuses it.
    public func read<Consumer: PropertyListConsumer>(into consumer: inout Consumer) throws(SourceError) {
        let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: file.head())
            try syntax.read(file.input, limits: interpretation.propertyListLimits, into: &consumer)
        } catch {
            throw SourceError(path, error)
        }
    }

    /// What can be saved to the file in its current state.
    var savability: Savability {
        guard interpretation.shape != .any else { return .nothing(.anyShape) }
        return FileAccess.refusal(ofReplacing: path).map(Savability.nothing) ?? .items
    }
}
