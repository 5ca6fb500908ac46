/// A level and a query. Observers of the same target share its requests.
struct LevelTarget: Hashable, Sendable {
    var path: ItemPath
    var query: LevelQuery

    /// The number of rows that one request asks for, which is the server's maximum.
    static let pageSize = 10_000

    /// Whether the query selects one page instead of all rows.
    var isPage: Bool { query != query.withoutPage }

    /// Whether the server can answer the query with a delta. It can for every query except a search and an outline.
    var hasDeltas: Bool { !query.parameters.contains { ["q", "depth", "expand"].contains($0.name) } }

    /// Returns the request for a page.
    ///
    /// - Parameters:
    ///   - number: the number of the page, from 0; always 0 if the query selects one page.
    ///   - known: the client's copy of this page; nil to request all rows of the page.
    ///   - wait: the number of seconds that the server may wait for a change; ignored without a known version.
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

/// The server's answer to a request for a page, which may have named an earlier version of the page.
enum PageAnswer: Sendable {
    /// The page has not changed.
    case unchanged
    /// The changes since the earlier state.
    case delta(LevelDelta, entityTag: String?)
    /// The level with its rows.
    case whole(Level, entityTag: String?)

    var level: Level? {
        switch self {
        case .unchanged: nil
        case .delta(let delta, _): delta.level
        case .whole(let level, _): level
        }
    }
}

extension Transport {
    /// Requests a level or a page of it. The request may name an earlier version.
    func page(_ request: Request) async throws -> PageAnswer {
        let answer = try await send(request)
        if answer.status == 304 { return .unchanged }
        switch try read(answer, as: LevelReader.read) {
        case .level(let level): return .whole(level, entityTag: answer.entityTag)
        case .delta(let delta) where delta.isEmpty && delta.since == delta.level.version: return .unchanged
        case .delta(let delta): return .delta(delta, entityTag: answer.entityTag)
        }
    }
}

extension LevelDelta {
    fileprivate var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }
}
