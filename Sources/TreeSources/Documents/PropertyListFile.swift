internal import Glibc
public import Levels
public import PropertyLists

/// A property list file as a source, in XML, binary or JSON, detected from its content.
///
/// Includes the files that the document mounts or, for a settings page, its child pages, strings and stored values.
///
///     let file = PropertyListFile(path: "Data.plist")
///     let loaded = try file.load(replacing: nil)
public struct PropertyListFile: TreeSource {
    public let name: String
    /// The path that the user gave; a relative path is relative to the working directory.
    public let path: String
    /// The rules by which the file's bytes become a tree.
    public var interpretation: Interpretation
    /// The pause between checks of the file, if the file system does not report changes.
    public let pollInterval: Duration
    /// The values document of a settings page, if any.
    var values: ValuesFile?

    /// Creates a source from the file at a path. The file is not opened before a load.
    ///
    /// - Parameters:
    ///   - name: the name for messages; by default the path.
    ///   - interpretation: the rules by which the file's bytes become a tree.
    ///   - pollInterval: the pause between checks of the file, if the file system does not report changes.
    ///   - valuesPath: the file that stores the values of a settings page's controls; the file need not exist.
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

    /// Returns the path of the root page, `Root.plist`, if `path` is a settings bundle: a folder that contains this
    /// page, or whose name ends with `.bundle`. Otherwise returns nil.
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

    /// The files beside a settings page.
    var pages: PageFiles { PageFiles(path: path, name: name, interpretation: interpretation, values: values) }

    /// Loads the document's own file, without its parts.
    ///
    /// - Parameter afterReading: called between the reading and the check for changes; a hook for tests.
    func loadAlone(
        replacing old: Level?, keeping kept: KeptReading? = nil, afterReading: () -> Void = {}
    ) throws(SourceError) -> LoadedTree {
        let pool = old.map { LevelPool($0, kept: kept) }
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

    public func makeWatcher() -> any SourceWatcher { DocumentWatcher(document: self) }
}

extension PropertyListFile {
    /// Reads the file into a consumer of your own, for documents that are not trees, such as a configuration.
    ///
    /// - Throws: `SourceError` if the file cannot be read or the consumer refuses it.
    public func read<Consumer: PropertyListConsumer>(into consumer: inout Consumer) throws(SourceError) {
        let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: file.head())
            try syntax.read(file.input, limits: interpretation.propertyListLimits, into: &consumer)
        } catch {
            throw SourceError(path, error: error)
        }
    }

    /// Returns the reason why the file cannot be opened now; nil if it can be opened.
    public func openingRefusal() -> SourceError? {
        do throws(SourceError) {
            _ = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
            return nil
        } catch {
            return error
        }
    }

    /// The edits that can be saved to the file now.
    var savability: Savability {
        switch interpretation.shape {
        case .any: return .nothing(.anyShape)
        case .auto, .items, .natural, .tables:
            return FileAccess.refusal(ofReplacing: path).map(Savability.nothing) ?? .items
        }
    }
}
