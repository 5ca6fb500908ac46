internal import Levels

/// How tables are shown.
public struct TableOptions: Sendable {
    /// The largest table whose records compare as the items of a tree.
    public var arrangedRows = 1_000_000
    /// The longest that one answer may take.
    public var timeout = Duration.seconds(5)
    /// The column that refers to the record above, by the name of a table that is a tree.
    public var treeColumns: [String: String] = [:]
    /// What an item of a document shows; nil for all tables.
    var reference: DatabaseReference?

    public init() {}
}
