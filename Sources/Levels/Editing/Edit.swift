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

extension Edit {
    /// The path of the item above the rows that the edit changes; nil if it changes those of two, or the root.
    var levelPath: ItemPath? {
        switch self {
        case .insert(_, let path, _, _): path
        case .put(_, let path, _), .patch(_, let path), .delete(let path): path.parent
        case .move(let path, let owner, _, _): path.parent == owner ? owner : nil
        }
    }

    /// The keys of the rows of that level that the edit names.
    var rowKeys: [[UInt8]] {
        switch self {
        case .insert(_, _, let position, _): [position.keyBytes].compactMap(\.self)
        case .put(_, let path, _), .patch(_, let path), .delete(let path): [path.lastKey]
        case .move(let path, _, let position, _): [path.lastKey] + [position.keyBytes].compactMap(\.self)
        }
    }
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

/// Why the edits of a request cannot be done; nothing has changed then.
public struct EditRefusal: Error, Sendable {
    /// The kinds of reasons, each of which has an answer of its own.
    public enum Kind: Sendable {
        /// A path leads nowhere: the key, and the nearest existing item above it.
        case noSuchItem(String, nearest: Item)
        /// The item of a `put` that should be new exists.
        case exists
        /// A condition on an item is false; its current entity tag and the version of its fields, nil if there is no such
        /// item.
        case preconditionFailed(current: String?, fields: String?)
        /// The edit is in conflict with the document as it is: a key that a sibling has, a row that is not there, a
        /// place that cannot be edited.
        case conflict
        /// `at` or `section` is out of range.
        case badPlace(parameter: String)
        /// The request's content breaks a rule; a JSON pointer (RFC 6901) leads to the place in the item.
        case invalid(pointer: String?)
        /// A control cannot have the value; what it can have, each as JSON or in words.
        case notAllowed([PropertyListValue], pointer: String?)
        /// There is not enough memory for it.
        case outOfMemory
    }

    public var kind: Kind
    /// A whole sentence with its full stop: what is wrong, and what would be right.
    public var detail: String
    /// The number of the step in its batch, from 0.
    public var step: Int?

    public init(_ kind: Kind, _ detail: String, step: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.step = step
    }

    /// The refusal of edits for which there is not enough memory.
    public static let outOfMemory = EditRefusal(
        .outOfMemory, "There is not enough memory for the edit, and nothing has changed. Repeat it later.")
}

extension PropertyListError {
    /// The reason as a whole sentence.
    var sentence: String { EditRefusal.sentence(reason) }
}

extension EditRefusal {
    /// A reason as a whole sentence, with a capital letter and a full stop.
    static func sentence(_ reason: String) -> String {
        reason.prefix(1).uppercased() + reason.dropFirst() + (reason.hasSuffix(".") ? "" : ".")
    }

    /// A conflict with the document as it is.
    static func conflict(_ reason: String) -> EditRefusal { EditRefusal(.conflict, sentence(reason)) }

    /// What breaks a rule, and where in the item it is.
    static func invalid(_ reason: String, at pointer: String = "") -> EditRefusal {
        EditRefusal(.invalid(pointer: pointer), sentence(reason))
    }

    /// The refusal of a step of a batch.
    func inStep(_ number: Int) -> EditRefusal { EditRefusal(kind, detail, step: number) }

    init(_ error: TreeError) { self = error == .outOfMemory ? .outOfMemory : .conflict(error.description) }
}

extension EditedItem {
    /// The same in another composition of the document, in which rows are where they were.
    public func found(in document: Level) -> EditedItem {
        guard case .present(let item, let isNew) = self, let found = Item(rowPath: item.rowPath, in: document) else {
            return self
        }
        return .present(found, isNew: isNew)
    }
}
