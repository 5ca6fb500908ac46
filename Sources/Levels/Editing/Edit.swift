public import PropertyLists

/// One edit of a document (manual, Editing).
///
/// Edits are applied by an `EditSession`, in batches.
public enum Edit: Sendable, Equatable {
    /// Adds an item with everything below it to the level of another item.
    case insert(PropertyListValue, below: ItemPath, at: RowPosition, section: Int?)
    /// Replaces the own fields of an item, or makes the item below an existing one.
    case put(PropertyListValue, at: ItemPath, onlyIfNew: Bool)
    /// Merges changes into the own fields of an item (RFC 7396).
    case patch(PropertyListValue, at: ItemPath)
    /// Moves an item with everything below it.
    case move(ItemPath, below: ItemPath, at: RowPosition, section: Int?)
    /// Removes an item with everything below it.
    case delete(ItemPath)
}

extension Edit {
    /// The path of the item above the changed rows; nil for rows of two items, or the root.
    var levelPath: ItemPath? {
        switch self {
        case .insert(_, let path, _, _): path
        case .put(_, let path, _), .patch(_, let path), .delete(let path): path.parent
        case .move(let path, let owner, _, _): path.parent == owner ? owner : nil
        }
    }

    /// The keys of the rows below `levelPath` that the edit names.
    var rowKeys: [[UInt8]] {
        switch self {
        case .insert(_, _, let position, _): [position.keyBytes].compactMap(\.self)
        case .put(_, let path, _), .patch(_, let path), .delete(let path): [path.lastKey]
        case .move(let path, _, let position, _): [path.lastKey] + [position.keyBytes].compactMap(\.self)
        }
    }
}

/// A place among the rows of a level, as clients name it.
public enum RowPosition: Sendable, Equatable {
    case first
    case last
    /// The number of rows before it, not counting a row that moves.
    case offset(Int)
    /// Directly before the row with a key.
    case before(String)
    /// Directly after the row with a key.
    case after(String)
    /// Invalid text; the edit is refused when it is applied.
    case unknown(String)
}

/// The edits of one request: either all are applied, or none.
public struct EditBatch: Sendable, Equatable {
    public let edits: [Edit]
    /// Whether values have exact types, from a property list; JSON values are fitted to the types of the replaced
    /// values.
    public let isExact: Bool

    public init(_ edits: [Edit], isExact: Bool) {
        self.edits = edits
        self.isExact = isExact
    }
}

/// The item of an edit, after all edits of its batch.
public enum EditedItem: Sendable {
    /// The item in the new document.
    case present(Item, isNew: Bool)
    /// The edit, or a later one of its batch, removed it.
    case deleted
}

/// The reason for refusing the edits of a request, which then change nothing.
public struct EditRefusal: Error, Sendable {
    /// The kinds of reasons, each with its own answer.
    public enum Kind: Sendable {
        /// No item has this key below the nearest existing item of the path.
        case noSuchItem(String, nearest: Item)
        /// The item exists, though a `put` requires a new one.
        case exists
        /// A precondition on an item fails; its current entity tag and fields version, nil without the item.
        case preconditionFailed(current: String?, fields: String?)
        /// The edit conflicts with the document: a sibling has the key, a row is missing, or the place cannot be
        /// edited.
        case conflict
        /// `at` or `section` is out of range.
        case badPlace(parameter: String)
        /// The content breaks a rule, at the JSON pointer (RFC 6901) in the item.
        case invalid(pointer: String?)
        /// A rule that the owner of the database has added forbids the edit; the rule's name, if any. The detail is the
        /// database's own message.
        case constraint(name: String?)
        /// The control rejects the value; the accepted values, as JSON or in words.
        case notAllowed([PropertyListValue], pointer: String?)
        /// The memory does not suffice for the edit.
        case outOfMemory
    }

    public var kind: Kind
    /// A whole sentence with its full stop: the error and the rule.
    public var detail: String
    /// The number of the step in its batch, from 0; nil outside of a batch.
    public var step: Int?

    public init(_ kind: Kind, detail: String, step: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.step = step
    }

    /// The refusal of edits that need more memory.
    public static let outOfMemory = EditRefusal(
        .outOfMemory, detail: "There is not enough memory for the edit, and nothing has changed. Repeat it later.")
}

extension PropertyListError {
    var sentence: String { EditRefusal.sentence(reason) }
}

extension EditRefusal {
    /// A reason as a whole sentence, with a capital letter and a full stop.
    static func sentence(_ reason: String) -> String {
        reason.prefix(1).uppercased() + reason.dropFirst() + (reason.hasSuffix(".") ? "" : ".")
    }

    static func conflict(_ reason: String) -> EditRefusal { EditRefusal(.conflict, detail: sentence(reason)) }

    /// Returns the refusal for a broken rule, with the JSON pointer to the place in the item.
    static func invalid(_ reason: String, at pointer: String = "") -> EditRefusal {
        EditRefusal(.invalid(pointer: pointer), detail: sentence(reason))
    }

    /// Returns the refusal with the number of its step.
    func inStep(_ number: Int) -> EditRefusal { EditRefusal(kind, detail: detail, step: number) }

    init(_ error: TreeError) { self = error == .outOfMemory ? .outOfMemory : .conflict(error.description) }
}

extension EditedItem {
    /// Returns the item of another composition of the document with the same rows.
    public func found(in document: Level) -> EditedItem {
        guard case .present(let item, let isNew) = self, let found = Item(rowPath: item.rowPath, in: document) else {
            return self
        }
        return .present(found, isNew: isNew)
    }
}
