public import PropertyLists

/// One edit of a document (manual, Editing).
///
/// An `EditSession` applies edits in batches.
public enum Edit: Sendable, Equatable {
    /// Adds an item, with everything below it, to the level of another item.
    case insert(PropertyListValue, below: ItemPath, at: RowPosition, section: Int?)
    /// Replaces an item's own fields. If the item does not exist, creates it below an existing item.
    case put(PropertyListValue, at: ItemPath, onlyIfNew: Bool)
    /// Merges changes into the own fields of an item (RFC 7396).
    case patch(PropertyListValue, at: ItemPath)
    /// Moves an item with everything below it.
    case move(ItemPath, below: ItemPath, at: RowPosition, section: Int?)
    /// Removes an item with everything below it.
    case delete(ItemPath)
}

extension Edit {
    /// The item to be changed, moved or removed; nil for a new item.
    var item: ItemPath? {
        switch self {
        case .insert: nil
        case .put(_, let path, _), .patch(_, let path), .move(let path, _, _, _), .delete(let path): path
        }
    }
}

/// A place among the rows of a level, as clients name it.
public enum RowPosition: Sendable, Equatable {
    case first
    case last
    /// The place after a number of rows, not counting a row that moves.
    case offset(Int)
    /// Directly before the row with a key.
    case before(String)
    /// Directly after the row with a key.
    case after(String)
    /// Invalid text. The edit is refused when it is applied.
    case unknown(String)
}

/// The edits of one request: either all are applied, or none.
public struct EditBatch: Sendable, Equatable {
    public let edits: [Edit]
    /// Whether the values come from a property list and have exact types. Otherwise they come from JSON, and each value
    /// is fitted to the type of the value that it replaces.
    public let isExact: Bool
    /// The numbers of the edits that name their item by its tag. The other edits are refused if a sibling of their item
    /// has the same natural key, because they may be meant for another item. Nil if the edits need no tags.
    public let tagged: Set<Int>?

    public init(_ edits: [Edit], isExact: Bool, tagged: Set<Int>? = nil) {
        self.edits = edits
        self.isExact = isExact
        self.tagged = tagged
    }
}

/// The item of an edit, after all edits of its batch.
public enum EditedItem: Sendable {
    /// The item in the new document.
    case present(Item, isNew: Bool)
    /// The edit, or a later edit of its batch, removed the item.
    case deleted
}

/// The reason why the edits of a request are refused. Refused edits change nothing.
public struct EditRefusal: Error, Sendable {
    /// The kinds of reasons. Each kind has its own answer.
    public enum Kind: Sendable {
        /// No item has this key below the nearest existing item of the path.
        case noSuchItem(String, nearest: Item)
        /// The item exists, although the `put` requires a new item.
        case exists
        /// A precondition on an item fails. `current` is the item's current entity tag, and `fields` is the version of
        /// its fields; each is nil if the item does not exist.
        case preconditionFailed(current: String?, fields: String?)
        /// A sibling of the item has the same natural key, and the edit does not name the item's tag. The item is as it
        /// was before the batch.
        case preconditionRequired(Item)
        /// The edit conflicts with the document: a sibling has the key, a row is missing, or the place cannot be
        /// edited.
        case conflict
        /// `at` or `section` is out of range.
        case badPlace(parameter: String)
        /// The content breaks a rule. `pointer` is the JSON pointer (RFC 6901) to the error in the item, if it is
        /// known.
        case invalid(pointer: String?)
        /// The edit breaks a rule that the owner of the database has added. `name` is the name of the rule, if it is
        /// named. `detail` is the database's own message.
        case constraint(name: String?)
        /// The control rejects the value. The array has the accepted values, as JSON or described in words.
        case notAllowed([PropertyListValue], pointer: String?)
        /// The memory does not suffice for the edit.
        case outOfMemory
        /// The request names a revision that the document has not reached, or that is not part of its history.
        case revision(asked: String, current: String)
    }

    public var kind: Kind
    /// A whole sentence, with a full stop, that states the error and the rule.
    public var detail: String
    /// The number of the step in its batch, from 0; nil outside of a batch.
    public var step: Int?

    public init(_ kind: Kind, detail: String, step: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.step = step
    }

    /// The refusal of edits for lack of memory.
    public static let outOfMemory = EditRefusal(
        .outOfMemory, detail: "There is not enough memory for the edit, and nothing has changed. Repeat it later.")
}

extension PropertyListError {
    var sentence: String { EditRefusal.sentence(reason) }
}

extension EditRefusal {
    /// A reason as a whole sentence, with a capital letter and a full stop.
    static func sentence(_ reason: String) -> String {
        (reason.prefix(1).uppercased() + reason.dropFirst()).withFullStop
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
    /// Returns the same item in another composition of the document. Both compositions must have the same rows.
    public func found(in document: Level) -> EditedItem {
        guard case .present(let item, let isNew) = self, let found = Item(rowPath: item.rowPath, in: document) else {
            return self
        }
        return .present(found, isNew: isNew)
    }
}

/// Edits of documents with databases.
extension Edit {
    /// Refuses edits of rows that are in a database, and edits that write a query. Only the author of the document's
    /// file may write queries.
    public func checkDatabases(in snapshot: Snapshot) throws(EditRefusal) {
        guard snapshot.composition?.holdsRowsElsewhere == true || holdsQuery else { return }
        func isElsewhere(_ path: ItemPath?) -> Bool { path.flatMap { snapshot.rowsElsewhere(at: $0) } != nil }
        let isRefused =
            switch self {
            case .insert(_, let owner, _, _): isElsewhere(owner)
            case .put(_, let path, _), .patch(_, let path), .delete(let path): isElsewhere(path.parent)
            case .move(let path, let owner, _, _): isElsewhere(path.parent) || isElsewhere(owner)
            }
        if isRefused { throw .rowsOfDatabase }
        if holdsQuery || isPatchOfQuery(in: snapshot) {
            throw .invalid("'Query' can be written only in the file of the document", at: JSONPointer.step("Query"))
        }
    }

    /// Whether the edit contains an item that has both a database and a query.
    private var holdsQuery: Bool {
        switch self {
        case .insert(let value, _, _, _), .put(let value, _, _), .patch(let value, _): value.holdsQuery
        case .move, .delete: false
        }
    }

    private func isPatchOfQuery(in snapshot: Snapshot) -> Bool {
        guard case .patch(.dictionary(let fields), let path) = self, fields["Query"] != nil else { return false }
        return snapshot.rowsElsewhere(at: path) != nil
    }
}

extension PropertyListValue {
    /// Whether the value contains a dictionary that has both a database and a query.
    fileprivate var holdsQuery: Bool {
        switch self {
        case .dictionary(let fields):
            fields["Query"] != nil && fields[DatabaseReference.name] != nil
                || fields.entries.contains { $0.value.holdsQuery }
        case .array(let elements): elements.contains(where: \.holdsQuery)
        default: false
        }
    }
}

extension EditRefusal {
    static let rowsOfDatabase = conflict("the rows below are in a database, which can only be read")
}
