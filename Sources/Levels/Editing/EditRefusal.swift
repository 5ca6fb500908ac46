public import PropertyLists

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
