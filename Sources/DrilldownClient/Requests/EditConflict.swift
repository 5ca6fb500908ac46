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
    /// The current state of the document at the place of the edit.
    public enum Current: Hashable, Sendable {
        /// The item to change, move or remove; for a move never the destination.
        case detail(Detail)
        /// The level to insert into.
        case level(Level)
        /// The item does not exist: it was removed, or an earlier edit of the batch would have made it.
        case missing
        /// The server could not be asked again.
        case unknown(Problem)
    }

    /// The refused edit; of several edits the one that could not be done.
    public let edit: Edit
    /// The current state, read after the refusal.
    public let current: Current
    /// The server's refusal.
    public let problem: Problem

    /// A conflict with these values.
    public init(edit: Edit, current: Current, problem: Problem) {
        self.edit = edit
        self.current = current
        self.problem = problem
    }

    /// The version to use as `ifMatch` in order to insist; nil if there is nothing to match.
    public var currentVersion: ItemVersion? {
        switch current {
        case .detail(let detail): detail.version
        case .level(let level): level.itemVersion
        case .missing, .unknown: nil
        }
    }
}

extension EditConflict {
    /// Whether the item has another version than `ifMatch` (412). Its position, neighbours and children count unless that
    /// was a `fieldsVersion`.
    ///
    /// If not, the edit fits no version of the document (409): a key is in use, an item would move below itself, or the
    /// file cannot be written.
    public var isOutdated: Bool { problem.status == 412 }
}

extension EditConflict: LocalizedError {
    /// The server's refusal as a sentence.
    public var errorDescription: String? { problem.errorDescription }
}

extension EditConflict: CustomStringConvertible {
    /// The server's refusal as a sentence.
    public var description: String { problem.description }
}
