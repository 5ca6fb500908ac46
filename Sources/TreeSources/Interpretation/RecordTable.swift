internal import Files
internal import Levels
internal import PropertyLists

/// Reads tables: documents that are tables, and the files named by `Records`.
enum RecordTable {
    /// Reads a document that is a table by options. If they do not name the field of the titles, it is the title field of
    /// a survey.
    ///
    /// - Throws: `PropertyListError` if the document is not a table, or if the options name a field that no record has.
    static func document(
        of input: DocumentInput, syntax: TableSyntax, options: RecordOptions, interpretation: Interpretation,
        pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        do throws(PropertyListError) {
            var title = options.titleField
            if title == nil { title = try interpretation.survey(input, as: syntax).titleOfElements }
            var builder = try TreeBuilder(
                table: RecordDrilling(
                    fields: options.drillFields, titleField: title ?? RecordDrilling.defaultTitleField,
                    keyField: options.keyField),
                limits: interpretation.treeLimits,
                isXML: syntax == .propertyList(.xml), pool: pool, progress: interpretation.progress?.counts)
            try syntax.read(input, limits: interpretation.propertyListLimits, into: &builder)
            return try builder.finishDocument(requiring: options.fields)
        } catch {
            throw error.withoutPath
        }
    }

    /// Reads a table into a root item. The level of this item becomes the level of the item that names the table.
    ///
    /// - Parameters:
    ///   - drilling: how the records become levels.
    ///   - treeLimits: the limits for the levels and items below the item that names the table.
    ///   - pool: levels to share if their content is equal.
    ///   - progress: counts the items.
    /// - Throws: `PropertyListError` with the position in the table's file.
    static func tree(
        of input: DocumentInput, syntax: TableSyntax, drilling: RecordDrilling, treeLimits: TreeLimits = .init(),
        propertyListLimits: PropertyListLimits = .init(), pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) throws(PropertyListError) -> Tree {
        do throws(PropertyListError) {
            var builder = try TreeBuilder(
                table: drilling, limits: treeLimits, isXML: syntax == .propertyList(.xml), pool: pool,
                progress: progress)
            try syntax.read(input, limits: propertyListLimits, into: &builder)
            return try builder.finishTable()
        } catch {
            throw error.withoutPath
        }
    }
}

extension PropertyListError {
    /// The same error without a path of titles, because the records of a file are not below an item.
    fileprivate var withoutPath: PropertyListError {
        var error = self
        error.path = nil
        return error
    }
}

/// The options for a document that is a table: the fields that the user named.
public struct RecordOptions: Sendable, Equatable {
    /// The field of the titles; nil to choose a field as in a document that is read as it is.
    public var titleField: String?
    /// The field of the keys; nil to choose a field as in a document that is read as it is.
    public var keyField: String?
    /// The fields whose values make the levels above the records, from the top down.
    public var drillFields: [String]

    public init(titleField: String? = nil, keyField: String? = nil, drillFields: [String] = []) {
        (self.titleField, self.keyField, self.drillFields) = (titleField, keyField, drillFields)
    }

    /// The fields that the options name.
    var fields: [String] { drillFields + [titleField, keyField].compactMap(\.self) }

    /// Whether the options do not name a field. If so, the document need not be a table.
    var isEmpty: Bool { fields.isEmpty }
}

extension Interpretation {
    /// Reads a table in its own file.
    ///
    /// - Parameters:
    ///   - name: the file's name, whose extension may suggest the syntax.
    ///   - pool: levels to share if their content is equal.
    func load(
        _ file: borrowing DocumentFile, named name: String, drilledBy drilling: RecordDrilling, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        do throws(PropertyListError) {
            let input = input(of: file, named: name)
            let syntax = try TableSyntax(of: input.uncounted, hint: FormatHint(fileName: name), name: name)
            let tree = try RecordTable.tree(
                of: input, syntax: syntax, drilling: drilling, treeLimits: treeLimits,
                propertyListLimits: propertyListLimits, pool: pool, progress: progress?.counts)
            return LoadedTree(tree: tree, of: file, named: name, syntax: syntax.propertyList)
        } catch {
            throw SourceError(name, error: error)
        }
    }
}
