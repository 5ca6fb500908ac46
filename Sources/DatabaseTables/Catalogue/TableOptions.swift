internal import Levels

/// The options for the levels of a database's tables.
public struct TableOptions: Sendable {
    /// The largest number of records that are sorted and filtered in memory, as the items of a tree are. A larger list
    /// needs an index.
    public var arrangedRows = 1_000_000
    /// The time limit for one answer.
    public var timeout = Duration.seconds(5)
    /// The tables that are trees: by the name of each, the column that refers to the record above.
    public var treeColumns: [String: String] = [:]
    /// The hosts whose PostgreSQL databases items of a document may name.
    public var hosts: [String] = []
    /// The reference of an item of a document; nil for a database of its own, whose tables are all shown.
    var reference: DatabaseReference?

    public init() {}
}
