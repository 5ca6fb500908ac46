public import PropertyLists

/// Tables that are documents of their own: an array of dictionaries, without an item around it.
extension TreeBuilder {
    /// Creates a builder that a reader sends the whole document of a table.
    ///
    /// - Parameters:
    ///   - drilling: how the records become levels.
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the tree that the table's level will be in.
    ///   - progress: where the items are counted.
    public init(
        table drilling: RecordDrilling, limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil,
        progress: ReadingProgress? = nil
    ) throws(PropertyListError) {
        self.init(
            names: .init(), slots: [.table, .drillBy, .titleBy], limits: limits, isXML: isXML, pool: pool,
            progress: progress)
        let nowhere = SourcePosition.byte(offset: 0)
        try beginDictionary(at: nowhere)
        if drilling.titleField != RecordDrilling.defaultTitleField {
            try key(Array("TitleBy".utf8).span, at: nowhere)
            try string(Array(drilling.titleField.utf8).span, at: nowhere)
        }
        try key(Array("DrillBy".utf8).span, at: nowhere)
        try beginArray(at: nowhere)
        for field in drilling.fields { try string(Array(field.utf8).span, at: nowhere) }
        try endArray()
        try key(Array("Records".utf8).span, at: nowhere)
    }

    /// The finished tree: a root item whose level is made of the table.
    ///
    /// - Throws: `PropertyListError` if the levels are deeper or the items more than the limits allow.
    public consuming func finishTable() throws(PropertyListError) -> Tree {
        try endDictionary()
        return try finish()
    }
}

extension Slot {
    /// The whole document, in place of `Records`.
    fileprivate static let table = Slot(
        Slot.records.name, names: .fixed(["Records"]), value: Expectation(array: .list), array: .records
    ) { _ in "the table must be an array of dictionaries" }
}
