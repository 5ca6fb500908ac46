internal import Levels

/// The options for the levels of a database's tables.
public struct TableOptions: Sendable {
    /// The maximum number of records in a list that is filtered and sorted in memory, like the items of a tree. A
    /// larger list needs an index.
    public var arrangedRows = 1_000_000
    /// The time limit for one answer.
    public var timeout = Duration.seconds(5)
    /// The columns that refer to the record above, by the names of their tables. These tables are shown as trees.
    public var treeColumns: [String: String] = [:]
    /// The hosts of the PostgreSQL databases to which items of a document may refer.
    public var hosts: [String] = []
    /// The reference of an item of a document to the database. Nil if the database itself is the source; all its tables
    /// are then shown.
    var reference: DatabaseReference?

    public init() {}
}
