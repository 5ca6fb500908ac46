/// What is asked of a level: its order, its sections, which rows, which fields.
///
/// A query is a value; each method returns a copy with one more option.
///
/// ```swift
/// let level = try await server.level(
///     at: ["Music"], matching: .sorted(by: .descending("Price"), "Title").where("Artist", equals: "Satie"))
/// ```
///
/// The server refuses combinations that make no sense, with a `Problem` that names the parameter.
public struct LevelQuery: Hashable, Sendable {
    /// The query options that are set, in the order of the request.
    var parameters: [Parameter] = []

    struct Parameter: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// A query that asks for the level as it is.
    public init() {}

    /// The level as it is: all rows, in its own order.
    public static let all = LevelQuery()
}
