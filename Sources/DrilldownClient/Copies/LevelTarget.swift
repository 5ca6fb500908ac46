/// A level and a query. Observers of the same target share its requests.
struct LevelTarget: Hashable, Sendable {
    var path: ItemPath
    var query: LevelQuery

    /// The number of rows that one request asks for, which is the server's maximum.
    static let pageSize = 10_000

    /// Whether the query selects one page instead of all rows.
    var isPage: Bool { query != query.withoutPage }

    /// Whether the service can answer with the changes. It can for every query except a search and an outline.
    var hasDeltas: Bool { !query.parameters.contains { ["q", "depth", "expand"].contains($0.name) } }

    /// Returns the target of the request for all rows of a page.
    ///
    /// - Parameter number: the number of the page, from 0; always 0 if the query selects one page.
    func link(page number: Int) -> String {
        var query = query
        if !isPage { query = query.setting("limit", to: String(Self.pageSize)) }
        if number > 0 { query = query.setting("start", to: String(number * Self.pageSize)) }
        return path.levelLink + query.encoded
    }
}
