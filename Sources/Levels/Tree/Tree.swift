/// What a load gives: a document's levels, and what was odd about it.
public struct Tree: Sendable {
    /// A level whose one row is the root item, so that the root has fields and a title like any other.
    public let document: Level
    /// The fields that hold rows which are not served; see `StrayRows`.
    public var strayRows: [StrayRows] = []
    private let remarks: DocumentWarnings

    /// - Parameter warnings: those that `strayRows` do not tell.
    init(document: Level, warnings: DocumentWarnings, strayRows: [StrayRows] = []) {
        self.document = document
        self.strayRows = strayRows
        remarks = warnings
    }

    /// What is probably not what the author meant; rows that are not served come first.
    public var warnings: DocumentWarnings {
        var all = DocumentWarnings()
        for stray in strayRows { all.add(stray.warning) }
        for remark in remarks.first { all.add(remark) }
        all.omit(remarks.omitted)
        return all
    }

    /// How many items there are, the root not counted.
    public var itemCount: Int { document.itemCount - 1 }
}
