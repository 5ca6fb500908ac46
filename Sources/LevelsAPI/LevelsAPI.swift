public import HTTPServer
import Levels
import Locking
import PropertyLists
public import TreeStore

/// Answers requests from a published tree: the way from a request to its response, on one thread, in one straight line.
///
/// Target → publication → cached answer, else route → item → rendered answer.
public final class LevelsAPI: Responder {
    private let publication: Guarded<Publication>
    private let history: History
    private let readiness: @Sendable () -> Readiness
    private let configuration: Configuration

    /// - Parameters:
    ///   - snapshot: what is served first.
    ///   - readiness: asked for at each `/readyz`.
    public init(
        _ snapshot: Snapshot, configuration: Configuration = .init(), readiness: @escaping @Sendable () -> Readiness
    ) {
        self.configuration = configuration
        self.readiness = readiness
        history = History(snapshot, budget: configuration.historyBytes)
        publication = Guarded(Publication(snapshot, cacheBytes: configuration.cacheBytes))
    }

    /// Serves another snapshot from now on; requests that run keep the one they took.
    ///
    /// The old one is let go on this thread, once no request holds it, so that freeing it delays no answer.
    public func publish(_ snapshot: Snapshot) {
        let new = Publication(snapshot, cacheBytes: configuration.cacheBytes)
        var old = publication.withLock { current in
            defer { current = new }
            return current
        }
        guard old.snapshot !== snapshot else { return }
        _ = history.append(snapshot, replacing: old.snapshot)
        Retirement.wait { isKnownUniquelyReferenced(&old) }
    }

    public func respond(to request: Request) -> Answer { .now(response(to: request)) }

    private func response(to request: Request) -> Response {
        guard request.method == .get || request.method == .head else { return MethodAnswer.response(to: request) }
        let current = publication.withLock { $0 }
        let accept = Format.accepted(by: request)
        let hash = ResponseCache.hash(request.target, accept)
        if let answer = current.cache.answer(for: request.target, hash: hash) { return answer.response(to: request) }
        do {
            return try answer(request, from: current, accept: accept, hash: hash)
        } catch {
            return error.response(instance: String(utf8: request.target))
        }
    }

    public func refusal(of request: Request) -> Response? {
        // No route takes a body yet; one on GET is read and ignored.
        request.method == .get || request.method == .head ? nil : MethodAnswer.response(to: request)
    }

    public func response(toBadRequest reason: String, status: Int) -> Response {
        Problem(.of(status: status), reason).response(instance: "")
    }

    // MARK: Routes

    private func answer(
        _ request: Request, from current: Publication, accept: Format?, hash: UInt64
    ) throws(Problem) -> Response {
        let target = request.target
        guard let match = Route.match(target) else { throw .noSuchRoute(target) }
        let query = match.query.isEmpty ? Query.empty : try Query(target.extracting(match.query))
        let path = target.extracting(match.path)
        switch match.route {
        case .level, .detail:
            let path = try ItemPath(requested: path)
            let item = try Item(at: path, in: current.snapshot)
            let answer = try ItemAnswer(match.route, item, at: path, query, accept, history, configuration).rendered()
            current.cache.keep(answer, for: target, hash: hash)
            return answer.response(to: request)
        case .document:
            let item = try Item(at: try ItemPath(requested: path), in: current.snapshot)
            return try DocumentAnswer(item: item, query: query, accept: accept, configuration: configuration).response(
                to: request)
        case .changes:
            try query.allow(["since"])
            return try ChangesAnswer(since: query["since"], in: history, published: current.snapshot).response()
        case .health:
            try query.allow([])
            return StatusAnswer.health()
        case .readiness:
            try query.allow([])
            return StatusAnswer.readiness(current.snapshot, readiness())
        case .problem:
            try query.allow([])
            return try ProblemPage.response(for: path)
        }
    }
}
