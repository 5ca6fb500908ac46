public import Levels
public import PropertyLists

/// A property list file as a source: XML, binary or JSON, told from its content.
public struct PropertyListFile: TreeSource {
    /// What the dictionaries and arrays of a document mean.
    public enum Shape: String, Sendable, CaseIterable {
        /// Items are dictionaries with a title, and strings (API.md, section 1).
        case items
        /// Every entry and every element is an item.
        case any
    }

    /// The path as the user gave it; a relative one is taken from the working directory.
    public var path: String
    public var shape: Shape
    /// Which keys are structure, where `shape` is `items`.
    public var names: StructuralNames
    public var treeLimits: TreeLimits
    public var propertyListLimits: PropertyListLimits
    /// A larger file is refused.
    public var maximumBytes: Int
    /// How often the file's identity is looked at, where the file system tells of no change.
    public var pollInterval: Duration

    /// What `maximumBytes` is unless set: 2 GiB.
    public static let defaultMaximumBytes = 2 << 30

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

    /// How often a file that changes while it is read is read again.
    private static let attempts = 4

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try load(replacing: old, afterReading: {})
    }

    /// The same, with what a test does between a reading and the look at whether the file was left alone.
    func load(replacing old: Level?, afterReading: () -> Void) throws(SourceError) -> LoadedTree {
        let pool = old.map(LevelPool.init)
        for _ in 0..<Self.attempts {
            let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
            let outcome = attempt(file, pool: pool)
            afterReading()
            if file.isUnchanged() { return try outcome.get() }
        }
        throw SourceError(
            path, "the file changed while it was read, \(Self.attempts) times running; it is read when it is left alone"
        )
    }

    private func attempt(_ file: borrowing DocumentFile, pool: LevelPool?) -> Result<LoadedTree, SourceError> {
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: file.head())
            let tree = try readOrAdvise(file.input, as: syntax, pool: pool)
            let warnings = tree.warnings.first.map { SourceWarning(file: path, warning: $0) }
            return .success(
                LoadedTree(
                    tree: tree, identity: file.identity, syntax: syntax, warnings: warnings,
                    omittedWarnings: tree.warnings.omitted))
        } catch {
            return .failure(SourceError(path, error))
        }
    }

    /// Reads a document; where it is refused for what its items are called, the sentence says what would fit.
    private func readOrAdvise(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        do throws(PropertyListError) {
            return try read(input, as: syntax, pool: pool)
        } catch {
            guard shape == .items, let advice = advice(on: input, as: syntax) else { throw error }
            throw PropertyListError("\(error.reason); \(advice)", at: error.position, path: error.path)
        }
    }

    /// What names a second reading suggests; nil where that finds nothing, or the document cannot be read at all.
    private func advice(on input: DocumentInput, as syntax: PropertyListSyntax) -> String? {
        var survey = KeySurvey()
        do {
            try syntax.read(input, limits: propertyListLimits, into: &survey)
        } catch {
            return nil
        }
        return NamesSuggestion(survey, names: names).advice
    }

    private func read(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        switch shape {
        case .items:
            var builder = TreeBuilder(names: names, limits: treeLimits, isXML: syntax == .xml, pool: pool)
            try syntax.read(input, limits: propertyListLimits, into: &builder)
            return try builder.finish()
        case .any:
            var builder = AnyTreeBuilder(limits: treeLimits, isXML: syntax == .xml, pool: pool)
            try syntax.read(input, limits: propertyListLimits, into: &builder)
            return try builder.finish()
        }
    }

    public func isUnchanged(since identity: FileIdentity) -> Bool { FileIdentity(path: path) == identity }

    public func watcher(waker: Waker) -> any SourceWatcher {
        FileWatcher(path: path, waker: waker, pollInterval: pollInterval)
    }
}
