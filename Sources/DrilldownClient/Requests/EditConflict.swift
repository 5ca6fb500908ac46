public import Foundation

/// An edit that the server refused (409 or 412) because it does not fit the current document.
///
/// ```swift
/// do {
///     detail = try await server.patch(["Price": price], at: detail.path, ifMatch: detail.fieldsVersion)
/// } catch let conflict as EditConflict {
///     show(conflict.problem.detail, mine: conflict.edit, theirs: conflict.current)
/// }
/// ```
public struct EditConflict: Error, Hashable, Sendable {
    /// The current state of the item or the level of the edit.
    public enum Current: Hashable, Sendable {
        /// The item that the edit was to change, move or remove. For a move, this is not the destination.
        case detail(Detail)
        /// The level into which the edit was to insert an item.
        case level(Level)
        /// The item does not exist: it was removed, or an earlier edit of the batch would have made it.
        case missing
        /// The current state could not be read, for this reason.
        case unknown(Problem)
    }

    /// The refused edit; in a batch, the edit that could not be applied.
    public let edit: Edit
    /// The current state, read after the refusal.
    public let current: Current
    /// The server's refusal.
    public internal(set) var problem: Problem

    /// Creates a conflict with these values.
    public init(edit: Edit, current: Current, problem: Problem) {
        self.edit = edit
        self.current = current
        self.problem = problem
    }

    /// The version for `ifMatch` with which the edit can be repeated in spite of the other client's change.
    ///
    /// Nil if the item does not exist, or if the current state is unknown.
    public var currentVersion: ItemVersion? {
        switch current {
        case .detail(let detail): detail.version
        case .level(let level): level.itemVersion
        case .missing, .unknown: nil
        }
    }
}

extension EditConflict {
    /// Whether the item or the level has another version than `ifMatch` (412).
    ///
    /// The version of an item also changes with its position, its neighbours and its children; its `fieldsVersion` does
    /// not.
    ///
    /// If false, the edit is in conflict with the document for another reason (409): a key is in use, an item would
    /// move below itself, or the file cannot be written.
    public var isOutdated: Bool { problem.status == 412 }

    /// Whether the edit needs `ifMatch`, because another item on the level has the same natural key (428).
    public var needsVersion: Bool { problem.status == 428 }
}

extension EditConflict: LocalizedError {
    /// The server's refusal as a sentence.
    public var errorDescription: String? { problem.errorDescription }
}

extension EditConflict: CustomStringConvertible {
    /// The server's refusal as a sentence.
    public var description: String { problem.description }
}
