/// Why a request failed: what the server said, or what happened instead of an answer.
///
/// ```swift
/// do {
///     let level = try await server.level(at: ["Item 9"])
/// } catch let problem as Problem where problem.kind == .noSuchItem {
///     print(problem)  // There is no 'Item 9' in /. Did you mean 'Item 1'?
/// }
/// ```
public struct Problem: Error, Hashable, Sendable {
    /// What kind of problem this is.
    public var kind: Kind
    /// The kind in a few words.
    public var title: String
    /// The status of the answer; nil if there was no answer.
    public var status: Int?
    /// A whole sentence about this case.
    public var detail: String
    /// The target of the request.
    public var instance: String?
    /// The members that only this kind of problem has.
    public var members: Fields
    /// How many seconds to wait before the next attempt, if the server says so.
    public var retryAfter: Double?

    /// A problem with these values.
    public init(
        _ kind: Kind, title: String, status: Int? = nil, detail: String, instance: String? = nil,
        members: Fields = [:], retryAfter: Double? = nil
    ) {
        self.kind = kind
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.members = members
        self.retryAfter = retryAfter
    }
}
