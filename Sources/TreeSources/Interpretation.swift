public import Levels
public import PropertyLists

/// How the bytes of a document become a tree, wherever they come from: what they mean, and how much of them is taken.
public struct Interpretation: Sendable {
    public var shape: PropertyListFile.Shape
    /// Which keys are structure, where `shape` is `items`.
    public var names: StructuralNames
    public var treeLimits: TreeLimits
    public var propertyListLimits: PropertyListLimits

    public init(
        shape: PropertyListFile.Shape = .items, names: StructuralNames = .init(), treeLimits: TreeLimits = .init(),
        propertyListLimits: PropertyListLimits = .init()
    ) {
        self.shape = shape
        self.names = names
        self.treeLimits = treeLimits
        self.propertyListLimits = propertyListLimits
    }

    /// Reads a document, whose syntax is told from its content.
    ///
    /// - Parameters:
    ///   - name: what errors and warnings call the document.
    ///   - pool: the levels that are taken over where they have the same content.
    func load(
        _ file: borrowing DocumentFile, named name: String, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: file.head())
            let tree = try readOrAdvise(file.input, as: syntax, pool: pool)
            let warnings = tree.warnings.first.map { SourceWarning(file: name, warning: $0) }
            return LoadedTree(
                tree: tree, identity: file.identity, syntax: syntax, warnings: warnings,
                omittedWarnings: tree.warnings.omitted)
        } catch {
            throw SourceError(name, error)
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
}
