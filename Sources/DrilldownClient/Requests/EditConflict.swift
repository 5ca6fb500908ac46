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
    /// What there is at present.
    public enum Current: Hashable, Sendable {
        /// The item that was to be changed, moved or removed; of a move never the level that it was to be moved to.
        case detail(Detail)
        /// The level that was to get an item.
        case level(Level)
        /// The item no longer exists; of a batch perhaps does not exist yet, if an earlier edit makes it.
        case missing
        /// The server could not be asked again.
        case unknown(Problem)
    }

    /// What was wanted; of several edits the one that could not be done.
    public let edit: Edit
    /// What there is now, read after the refusal.
    public let current: Current
    /// What the server said.
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
    /// Whether the item is of another version than `ifMatch` (412), because it changed; its position, neighbours and children
    /// count unless that was a `fieldsVersion`.
    ///
    /// If not, the edit does not fit the document in any version (409): a key is in use, an item is to be moved below
    /// itself, or the file cannot be written.
    public var isOutdated: Bool { problem.status == 412 }
}

extension EditConflict: LocalizedError {
    /// What the server said, as a sentence.
    public var errorDescription: String? { problem.errorDescription }
}

extension EditConflict: CustomStringConvertible {
    /// What the server said, as a sentence.
    public var description: String { problem.description }
}
