internal import Files
public import Levels
public import PropertyLists

/// A table in its own file, named by `Records`.
public enum RecordTable {
    /// Reads a table into a root item whose level becomes the level of the item that names the table.
    ///
    /// - Parameters:
    ///   - drilling: how the records become levels.
    ///   - treeLimits: the limits for levels and items below the item.
    ///   - pool: levels to share if their content is equal.
    ///   - progress: counts the items.
    /// - Throws: `PropertyListError` with the position in the table's file.
    public static func tree(
        of input: DocumentInput, syntax: TableSyntax, drilling: RecordDrilling, treeLimits: TreeLimits = .init(),
        propertyListLimits: PropertyListLimits = .init(), pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) throws(PropertyListError) -> Tree {
        do throws(PropertyListError) {
            var builder = try TreeBuilder(
                table: drilling, limits: treeLimits, isXML: syntax == .propertyList(.xml), pool: pool,
                progress: progress)
            switch syntax {
            case .lines(let separator):
                try CSVReader.read(input, separator: separator, limits: propertyListLimits, into: &builder)
            case .propertyList(let syntax):
                try syntax.read(input, limits: propertyListLimits, into: &builder)
            }
            return try builder.finishTable()
        } catch {
            // The records belong to no item of this file.
            throw PropertyListError(error.reason, at: error.position)
        }
    }
}

/// The syntax of a file named by `Records`.
public enum TableSyntax: Sendable, Equatable {
    /// Lines of cells (RFC 4180), separated by commas or tabs.
    case lines(CSVReader.Separator)
    /// A property list or JSON: an array of dictionaries.
    case propertyList(PropertyListSyntax)

    /// Determines the syntax from the extension `.csv` or `.tsv`, else from the content.
    ///
    /// - Parameter head: the first bytes of the file.
    /// - Throws: `PropertyListError` for another format, known or unknown.
    public init(fileName: String, head: [UInt8]) throws(PropertyListError) {
        let name = fileName.lowercased()
        if name.hasSuffix(".csv") {
            self = .lines(.comma)
        } else if name.hasSuffix(".tsv") {
            self = .lines(.tab)
        } else {
            self = .propertyList(try SyntaxCheck.syntax(of: head))
        }
    }
}

extension Interpretation {
    /// Reads a table in its own file.
    ///
    /// - Parameters:
    ///   - name: the file's name, whose extension may determine the syntax.
    ///   - pool: levels to share if their content is equal.
    func load(
        _ file: borrowing DocumentFile, named name: String, drilledBy drilling: RecordDrilling, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        do throws(PropertyListError) {
            let syntax = try TableSyntax(fileName: name, head: file.head())
            let tree = try RecordTable.tree(
                of: input(of: file, named: name), syntax: syntax, drilling: drilling, treeLimits: treeLimits,
                propertyListLimits: propertyListLimits, pool: pool, progress: progress?.counts)
            let warnings = tree.warnings.first.map { SourceWarning(name, $0) }
            return LoadedTree(
                tree: tree, fingerprint: Fingerprint(file.identity), syntax: syntax.propertyList, warnings: warnings,
                omittedWarnings: tree.warnings.omitted, identity: file.identity)
        } catch {
            throw SourceError(name, error)
        }
    }
}

extension TableSyntax {
    /// The syntax of a property list with the same values; the log names only the document's own syntax.
    fileprivate var propertyList: PropertyListSyntax {
        switch self {
        case .lines: .json
        case .propertyList(let syntax): syntax
        }
    }
}
