/// What a load gives: a document's levels, and what was odd about it.
public struct Tree: Sendable {
    /// A level whose one row is the root item, so that the root has fields and a title like any other.
    public let document: Level
    public let warnings: DocumentWarnings

    /// How many items there are, the root not counted.
    public var itemCount: Int { document.itemCount - 1 }
}
