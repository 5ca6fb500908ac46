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

    public func watcher(sharing files: WatchedFiles) -> any SourceWatcher { DocumentWatcher(self, sharing: files) }
}
