public import PropertyLists

/// One step that changes a document (manual, Editing).
public enum Edit: Sendable, Equatable {
    /// Adds an item with everything below it to the level of another item.
    case insert(PropertyListValue, below: ItemPath, at: RowPosition, section: Int?)
    /// Replaces the own fields of an item, or makes the item if there is none but one above it.
    case put(PropertyListValue, at: ItemPath, onlyIfNew: Bool)
    /// Merges changes into the own fields of an item (RFC 7396).
    case patch(PropertyListValue, at: ItemPath)
    /// Moves an item with everything below it.
    case move(ItemPath, below: ItemPath, at: RowPosition, section: Int?)
    /// Removes an item with everything below it.
    case delete(ItemPath)
}

/// A place among the rows of a level, as a client names it.
public enum RowPosition: Sendable, Equatable {
    case first
    case last
    /// The number of rows before it, from 0; a row that moves is not counted.
    case offset(Int)
    /// Directly before the row with a key.
    case before(String)
    /// Directly after the row with a key.
    case after(String)
    /// Text that names no place; the edit is refused when its turn comes.
    case unknown(String)
}

/// The edits of one request: all of them are done, or none.
public struct EditBatch: Sendable, Equatable {
    public let edits: [Edit]
    /// Whether values have exactly the types of the request, which was a property list; JSON's are fitted to those that
    /// the fields had.
    public let isExact: Bool

    public init(_ edits: [Edit], isExact: Bool) {
        self.edits = edits
        self.isExact = isExact
    }
}

/// What became of the item of an edit, after all edits of its batch.
public enum EditedItem: Sendable {
    /// Where the item is in the new document.
    case present(Item, isNew: Bool)
    /// The edit, or a later one of its batch, removed it.
    case deleted
}
