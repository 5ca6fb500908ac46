import ContentCodings
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
        guard request.method == .get || request.method == .head else {
            return MethodAnswer.response(to: request, configuration.allowedOrigins)
        }
        let current = publication.withLock { $0 }
        let negotiation = Negotiation(request, configuration.allowedOrigins)
        let hash = ResponseCache.hash(request.target, negotiation)
        if let answer = current.cache.answer(for: request.target, hash: hash) { return answer.response(to: request) }
        do {
            return try answer(request, from: current, negotiation, hash)
        } catch {
            let headers = configuration.allowedOrigins.headers(at: negotiation.origin)
            return error.response(instance: String(utf8: request.target), headers: headers)
        }
    }

    public func refusal(of request: Request) -> Response? {
        // No route takes a body yet; one on GET is read and ignored.
        request.method == .get || request.method == .head
            ? nil : MethodAnswer.response(to: request, configuration.allowedOrigins)
    }

    public func response(toBadRequest reason: String, status: Int) -> Response {
        let origins = configuration.allowedOrigins
        return Problem(.of(status: status), reason).response(
            instance: "", headers: origins.headers(at: origins.placeWithoutRequest))
    }

    // MARK: Routes

    private func answer(
        _ request: Request, from current: Publication, _ negotiation: Negotiation, _ hash: UInt64
    ) throws(Problem) -> Response {
        let target = request.target
        guard let match = Route.match(target) else { throw .noSuchRoute(target) }
        let query = match.query.isEmpty ? Query.empty : try Query(target.extracting(match.query))
        let path = target.extracting(match.path)
        switch match.route {
        case .level, .detail:
            let path = try ItemPath(requested: path)
            let item = try Item(at: path, in: current.snapshot)
            let rendering = try ItemAnswer(
                match.route, item, at: path, query, negotiation.format, history, configuration
            ).rendered()
            return try response(to: request, of: rendering, negotiation, keptIn: current.cache, hash)
        case .document:
            let item = try Item(at: try ItemPath(requested: path), in: current.snapshot)
            return try DocumentAnswer(
                item: item, query: query, negotiation: negotiation, configuration: configuration
            ).response(to: request)
        case .changes:
            try query.allow(["since"])
            let rendering = try ChangesAnswer(since: query["since"], in: history, published: current.snapshot)
                .rendered()
            return response(of: rendering, .identity, negotiation)
        case .health:
            try query.allow([])
            return response(of: try StatusAnswer.health(), .identity, negotiation)
        case .readiness:
            try query.allow([])
            return response(of: try StatusAnswer.readiness(current.snapshot, readiness()), .identity, negotiation)
        case .problem:
            try query.allow([])
            let page = try ProblemPage.rendered(for: path)
            let coding = try negotiation.coding(ofBytes: page.body.count)
            return response(of: page, coding, negotiation)
        }
    }

    /// A rendering that is not kept.
    private func response(
        of rendering: consuming Rendering, _ coding: ContentCoding, _ negotiation: Negotiation
    ) -> Response {
        let headers = rendering.representation.headers(coding, configuration.allowedOrigins, negotiation.origin)
        return rendering.response(coding, headers: headers)
    }

    /// A rendering that is kept from the second time on that it is asked for.
    private func response(
        to request: Request, of rendering: consuming Rendering, _ negotiation: Negotiation,
        keptIn cache: ResponseCache, _ hash: UInt64
    ) throws(Problem) -> Response {
        let coding = try negotiation.coding(ofBytes: rendering.body.count)
        let headers = rendering.representation.headers(coding, configuration.allowedOrigins, negotiation.origin)
        let tag = rendering.representation.entityTag(coding)
        let isKept = cache.wants(hash)
        // A client that looks whether all is as it was costs no coding.
        if !isKept, EntityTag.isNamed(tag, by: request) { return Response(status: 304, headers: headers) }
        let answer = RenderedAnswer(rendering.response(coding, headers: headers), entityTag: tag)
        if isKept { cache.keep(answer, for: request.target, hash: hash) }
        return answer.response(to: request)
    }
}
