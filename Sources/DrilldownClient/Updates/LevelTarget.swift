/// A level and what is asked of it: observers with the same target share one request.
struct LevelTarget: Hashable, Sendable {
    var path: ItemPath
    var query: LevelQuery

    /// The number of rows of one request; the server allows no more.
    static let pageSize = 10_000

    /// Whether the query asks for one page only, and not for all rows.
    var isPage: Bool { query.parameters.contains { ["limit", "start", "after"].contains($0.name) } }

    /// Whether the server can tell what changed since a version; for a search or an outline it cannot.
    var hasDeltas: Bool { !query.parameters.contains { ["q", "depth", "expand"].contains($0.name) } }

    /// The request for a page.
    ///
    /// - Parameters:
    ///   - number: The number of the page, from 0; the page of the query itself if it asks for one.
    ///   - known: What the client has of this page.
    ///   - wait: How many seconds the server may wait for a change.
    func request(page number: Int = 0, known: LevelCopy.Page? = nil, wait: Int = 0) -> Request {
        var query = query
        if !isPage { query = query.setting("limit", to: String(Self.pageSize)) }
        if number > 0 { query = query.setting("start", to: String(number * Self.pageSize)) }
        var entityTag: String?
        if let known {
            if hasDeltas { query = query.setting("since", to: known.version) } else { entityTag = known.entityTag }
        }
        let waits = wait > 0 && (entityTag != nil || known != nil && hasDeltas)
        if waits { query = query.setting("wait", to: String(wait)) }
        var request = Request(path.levelLink + query.encoded)
        request.header["If-None-Match"] = entityTag
        request.wait = waits ? wait : 0
        return request
    }
}
