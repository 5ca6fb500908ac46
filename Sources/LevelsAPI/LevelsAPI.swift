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
            let item = try find(path, in: current.snapshot)
            let answer = try ItemAnswer(match.route, item, query, accept, configuration).rendered()
            current.cache.keep(answer, for: target, hash: hash)
            return answer.response(to: request)
        case .document:
            let item = try find(path, in: current.snapshot)
            return try DocumentAnswer(item: item, query: query, accept: accept, configuration: configuration).response(
                to: request)
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

    private func find(_ text: Span<UInt8>, in snapshot: Snapshot) throws(Problem) -> Item {
        let path: ItemPath
        do {
            path = try ItemPath(text)
        } catch {
            throw Problem(.badPath, "The path segment '\(error.segment)' is not percent-encoded UTF-8.")
        }
        switch Item.find(path, in: snapshot.document) {
        case .found(let item): return item
        case .missing(let nearest, let number): throw .noSuchItem(path.key(number), below: nearest)
        }
    }
}
