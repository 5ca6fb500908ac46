public import Levels
public import PropertyLists

/// A table in a file of its own, which `Records` names.
public enum RecordTable {
    /// Reads a table, and makes a root item whose level is that of the item that names the table.
    ///
    /// - Parameters:
    ///   - drilling: how the records become levels.
    ///   - treeLimits: how many levels and items may be below the item.
    ///   - pool: existing levels, which are shared if they have the same content.
    ///   - progress: where the items are counted.
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
            // The records are in no item of this file.
            throw PropertyListError(error.reason, at: error.position)
        }
    }
}
