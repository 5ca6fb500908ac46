internal import DatabaseTrees
internal import Levels

/// The rows below an item. Each kind of level is a type of its own.
protocol TableLevel {
    /// Returns the row with a key; nil if the key is unknown.
    ///
    /// - Parameters:
    ///   - written: the key as it was written. Records are found by this text.
    ///   - key: the key in NFC. All other rows are found by this text.
    ///   - isWhole: whether the row needs the record's fields.
    func find(_ written: [UInt8], key: String, isWhole: Bool) throws -> FoundRow?

    /// Returns the number of rows; 1 for a list that its page or detail counts (`RecordList.isReadOnce`).
    func count() throws -> Int

    func page(_ query: RowQuery) throws -> RowPage

    /// Returns the number of rows, the first row and the last row.
    func ends() throws -> ItemDetail.ChildRows
}

/// A row that was found.
struct FoundRow {
    let step: Item.Step
    /// The level below the row.
    let below: any TableLevel
    /// Returns the detail of the row as an item.
    let detail: (Item, ItemDetail.ChildRows) throws -> ItemDetail
}
