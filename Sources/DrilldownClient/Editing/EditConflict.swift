/// An edit that the server refused because the document is no longer, or is not, as the edit needs it (409 or 412).
///
/// ```swift
/// do {
///     detail = try await server.patch(["Price": price], at: detail.path, ifMatch: detail.version)
/// } catch let conflict as EditConflict {
///     show(conflict.problem.detail, mine: conflict.edit, theirs: conflict.current)
/// }
/// ```
public struct EditConflict: Error, Hashable, Sendable {
    /// What there is at present.
    public enum Current: Hashable, Sendable {
        /// The item that was to be changed, moved or removed.
        case detail(Detail)
        /// The level that was to get an item.
        case level(Level)
        /// There is no such item any more.
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
    public var currentVersion: String? {
        switch current {
        case .detail(let detail): detail.version
        case .level(let level): level.version
        case .missing, .unknown: nil
        }
    }
}

extension EditConflict: CustomStringConvertible {
    /// What the server said, as a sentence.
    public var description: String { problem.description }
}
