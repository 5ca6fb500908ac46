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
        /// The item to change, move or remove; for a move never the destination.
        case detail(Detail)
        /// The level to insert into.
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
    public let problem: Problem

    /// Creates a conflict with these values.
    public init(edit: Edit, current: Current, problem: Problem) {
        self.edit = edit
        self.current = current
        self.problem = problem
    }

    /// The version for `ifMatch` to repeat the edit in spite of the change; nil if the item does not exist, or the
    /// current state is unknown.
    public var currentVersion: ItemVersion? {
        switch current {
        case .detail(let detail): detail.version
        case .level(let level): level.itemVersion
        case .missing, .unknown: nil
        }
    }
}

extension EditConflict {
    /// Whether the item has another version than `ifMatch` (412). Unless `ifMatch` is a `fieldsVersion`, a change of
    /// the position, the neighbours or the children makes another version.
    ///
    /// If false, the edit is in conflict with the document for another reason (409): a key is in use, an item would
    /// move below itself, or the file cannot be written.
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
