internal import Bytes
internal import PropertyLists

/// An item's reference to a database, in place of children. The item's level is the list of tables, the records of one
/// table, or the answer to a query.
public struct DatabaseReference: Hashable, Sendable {
    /// The table whose records are the item's level; nil for all tables.
    public var table: String?
    /// The SELECT whose rows are the item's level.
    public var query: String?
    /// The columns that identify a record; empty for the table's own key.
    public var key: [String] = []
    /// The columns that make a record's title, separated by commas; for all tables, as in the option `--title-by`. Nil for
    /// those that are chosen.
    public var titleColumns: String?
    /// The columns whose values are the levels above the records.
    public var drillColumns: [String] = []
    /// Conditions on the records, as in the query option `where`.
    public var conditions: [String] = []
    /// The order of the records, as in the query option `sort`.
    public var order: String?

    /// The keys that are structure in an item with a reference, so that details omit them.
    static let hiddenNames: Set<String> = [name, "Table", "Query"]
    /// The structural key for an item whose level is in a database; `--keys` does not change it.
    static let name = "Database"
}

extension PackedDictionary {
    /// The reference to a database; nil unless `Database` is an address, such as `sqlite:Shop.db`.
    var database: PartReference? {
        guard let address = text(DatabaseReference.name), address.contains(":") else { return nil }
        var reference = DatabaseReference()
        reference.table = text("Table")
        reference.query = text("Query")
        reference.key = texts("Key")
        reference.titleColumns = text("TitleBy")
        reference.drillColumns = texts("DrillBy")
        reference.conditions = texts("Where")
        reference.order = text("SortBy")
        return .database(address, reference: reference)
    }

    private func texts(_ name: String) -> [String] {
        value(name).flatMap { PackedReader(bytes: bytes, at: $0).texts } ?? []
    }
}

/// The rows below an item of a document, if these rows are not in memory. `ItemRows` adds the source of the rows.
public protocol RowsElsewhere: AnyObject, Sendable {
    /// The level in the document that takes the place of the rows; see `Level.elsewhere`.
    var level: Level { get }
}
