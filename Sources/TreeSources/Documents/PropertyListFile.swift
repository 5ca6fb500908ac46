internal import Glibc
public import Levels
public import PropertyLists

/// A property list file as a source: XML, binary or JSON, detected from its content.
public struct PropertyListFile: TreeSource {
    /// What the dictionaries and arrays of a document mean.
    public enum Shape: String, Sendable, CaseIterable {
        /// Items are dictionaries with a title, and strings (manual, Documents).
        case items
        /// Every entry and every element is an item.
        case any
    }

    /// The path as the user gave it; a relative path is relative to the working directory.
    public var path: String
    /// What its dictionaries and arrays mean.
    public var shape: Shape
    /// The structural keys, used if `shape` is `items`.
    public var names: StructuralNames
    /// How large and deep the tree may be.
    public var treeLimits: TreeLimits
    /// How large and deep the property list may be.
    public var propertyListLimits: PropertyListLimits
    /// A larger file is refused.
    public var maximumBytes: Int
    /// How often the file is checked, if the file system does not report changes.
    public var pollInterval: Duration
    /// Where loads tell how far they are; nil if nobody looks.
    public var progress: LoadProgress?

    /// The default of `maximumBytes`: 2 GiB.
    public static let defaultMaximumBytes = 2 << 30

    /// The file at a path; it is not opened before a load.
    public init(
        path: String, shape: Shape = .items, names: StructuralNames = .init(), treeLimits: TreeLimits = .init(),
        propertyListLimits: PropertyListLimits = .init(), maximumBytes: Int = defaultMaximumBytes,
        pollInterval: Duration = .seconds(2)
    ) {
        self.path = path
        self.shape = shape
        self.names = names
        self.treeLimits = treeLimits
        self.propertyListLimits = propertyListLimits
        self.maximumBytes = maximumBytes
        self.pollInterval = pollInterval
    }

    public var name: String { path }

    /// How often a file that changes while it is being read is read again.
    private static let attempts = 4

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try DocumentComposer(self).compose(loadAlone(replacing: old))
    }

    /// Loads the file without the parts that it refers to.
    ///
    /// - Parameter afterReading: a hook for tests between the reading and the check for changes.
    func loadAlone(replacing old: Level?, afterReading: () -> Void = {}) throws(SourceError) -> LoadedTree {
        let pool = old.map(LevelPool.init)
        for _ in 0..<Self.attempts {
            let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
            let outcome = attempt(file, pool: pool)
            afterReading()
            if file.isUnchanged() { return try outcome.get() }
        }
        throw SourceError(
            path,
            "the file changed while it was being read, \(Self.attempts) times in a row; it will be read when it stops changing"
        )
    }

    private func attempt(_ file: borrowing DocumentFile, pool: LevelPool?) -> Result<LoadedTree, SourceError> {
        do throws(SourceError) {
            return .success(try interpretation.load(file, named: path, pool: pool))
        } catch {
            return .failure(error)
        }
    }

    var interpretation: Interpretation {
        var interpretation = Interpretation(
            shape: shape, names: names, treeLimits: treeLimits, propertyListLimits: propertyListLimits)
        interpretation.progress = progress
        return interpretation
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
            try syntax.read(file.input, limits: propertyListLimits, into: &consumer)
        } catch {
            throw SourceError(path, error)
        }
    }

    /// What can be saved to the file in its current state.
    public var savability: Savability {
        guard shape != .any else { return .nothing(.anyShape) }
        return refusal.map(Savability.nothing) ?? .items
    }

    private var refusal: SaveRefusal? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return Self.unreached }
        var target = path
        if status.st_mode & S_IFMT == S_IFLNK {
            // A link's target is replaced, not the link.
            guard let resolved = RealPath.existing(path) else { return Self.unreached }
            target = resolved
            guard unsafe stat(target, &status) == 0 else { return .missingFile }
        }
        // Root may write to any file, but a file that nobody has permission to write to is meant to stay as it is.
        guard status.st_mode & 0o222 != 0 else { return .readOnlyFile }
        return Self.denial(of: W_OK, to: target, .readOnlyFile)
            ?? Self.denial(of: R_OK | W_OK | X_OK, to: FileReplacement.folder(of: target), .readOnlyFolder)
    }

    /// Why the file was not found just now.
    private static var unreached: SaveRefusal {
        errno == ENOENT || errno == ENOTDIR ? .missingFile : .unreachableFile
    }

    /// Why this process may not do something (`faccessat(2)`); nil if it may.
    static func denial(of access: Int32, to path: String, _ usual: SaveRefusal) -> SaveRefusal? {
        unsafe faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0 ? nil : refusal(denied: errno, by: usual)
    }

    /// The refusal for an error number.
    static func refusal(denied code: Int32, by usual: SaveRefusal) -> SaveRefusal {
        code == EROFS ? .readOnlyFileSystem : usual
    }
}
