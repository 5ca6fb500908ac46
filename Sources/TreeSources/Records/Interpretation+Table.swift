internal import Levels
internal import PropertyLists

extension Interpretation {
    /// Reads a table in a file of its own.
    ///
    /// - Parameters:
    ///   - name: the file's name, whose extension may tell the syntax.
    ///   - pool: existing levels, which are shared if they have the same content.
    func load(
        _ file: borrowing DocumentFile, named name: String, drilledBy drilling: RecordDrilling, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        do throws(PropertyListError) {
            let syntax = try TableSyntax(fileName: name, head: file.head())
            let tree = try RecordTable.tree(
                of: input(of: file, named: name), syntax: syntax, drilling: drilling, treeLimits: treeLimits,
                propertyListLimits: propertyListLimits, pool: pool, progress: progress?.counts)
            let warnings = tree.warnings.first.map { SourceWarning(file: name, warning: $0) }
            return LoadedTree(
                tree: tree, fingerprint: Fingerprint(file.identity), syntax: syntax.propertyList, warnings: warnings,
                omittedWarnings: tree.warnings.omitted, identity: file.identity)
        } catch {
            throw SourceError(name, error)
        }
    }
}

extension TableSyntax {
    /// The syntax of a property list with the same values; the log names only that of the document itself.
    fileprivate var propertyList: PropertyListSyntax {
        switch self {
        case .lines: .json
        case .propertyList(let syntax): syntax
        }
    }
}
