import ContentCodings
public import HTTPServer
import Levels
import Locking
import PropertyLists
public import TreeStore

/// Answers requests from a published tree: the way from a request to its response, on one thread, in one straight line.
///
/// Target → publication → cached answer, else route → item → rendered answer; one that the client has may be waited for.
public final class LevelsAPI: Responder {
    private let publication: Guarded<Publication>
    private let history: History
    private let selection: Selection
    private let waiters: Waiters
    private let followers: ChangeFollowers
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
        selection = Selection(history: history, configuration: configuration)
        let room = WaitingRoom(capacity: configuration.waiters)
        waiters = Waiters(room: room)
        followers = ChangeFollowers(history, selection, room: room)
        publication = Guarded(Publication(snapshot, number: 0, cacheBytes: configuration.cacheBytes))
    }

    /// Serves another snapshot from now on; requests that run keep the one they took.
    ///
    /// Then answers those who wait for what it changed, and notes the change. The old one is let go on this thread, once
    /// no request holds it, so that freeing it delays no answer. To be called by one thread at a time.
    public func publish(_ snapshot: Snapshot) {
        var old = publication.withLock { $0 }
        guard old.snapshot !== snapshot else { return }
        let number = history.announce(snapshot, replacing: old.snapshot)
        let new = Publication(snapshot, number: number, cacheBytes: configuration.cacheBytes)
        publication.withLock { $0 = new }
        waiters.wake(snapshot) { inquiry, item, known, tag throws(Problem) in
            try selection.select(inquiry, item, in: new, known: known) { $0 == tag }
        } refuse: { problem, inquiry in
            selection.response(to: problem, at: String(decoding: inquiry.target, as: UTF8.self), inquiry.negotiation)
        }
        history.append(snapshot, replacing: old.snapshot)
        followers.wake()
        Retirement.wait { isKnownUniquelyReferenced(&old) }
    }

    public func respond(to request: Request) -> Answer {
        guard request.method == .get || request.method == .head else {
            return .now(MethodAnswer.response(to: request, configuration.allowedOrigins))
        }
        let current = publication.withLock { $0 }
        let negotiation = Negotiation(request, configuration.allowedOrigins)
        let hash = ResponseCache.hash(request.target, negotiation)
        if !request.has(.prefer), !request.has(.ifMatch),
            let answer = current.cache.answer(for: request.target, hash: hash)
        {
            return .now(answer.response(to: request))
        }
        do {
            return try answer(request, from: current, negotiation)
        } catch {
            return .now(selection.response(to: error, at: String(utf8: request.target), negotiation))
        }
    }

    public func refusal(of request: Request) -> Response? {
        // No route takes a body yet; one on GET is read and ignored.
        request.method == .get || request.method == .head
            ? nil : MethodAnswer.response(to: request, configuration.allowedOrigins)
    }

    public func response(toBadRequest reason: String, status: Int, target: String) -> Response {
        response(to: Problem(.of(status: status), reason), target)
    }

    public func response(toFault id: String, target: String) -> Response {
        let detail = "The answer cannot be sent; the server's log has the reason under '\(id)'."
        return response(to: Problem(.internalFault, detail, members: [("id", .text(id))]), target)
    }

    private func response(to problem: Problem, _ target: String) -> Response {
        let origins = configuration.allowedOrigins
        return problem.response(instance: target, headers: origins.headers(at: origins.placeWithoutRequest))
    }

    // MARK: Routes

    private func answer(
        _ request: Request, from current: Publication, _ negotiation: Negotiation
    ) throws(Problem) -> Answer {
        let target = request.target
        guard let match = Route.match(target) else { throw .noSuchRoute(target) }
        let query = match.query.isEmpty ? Query.empty : try Query(target.extracting(match.query))
        switch match.route {
        case .index:
            try query.allow(["pretty"])
            return .now(try index(of: current.snapshot, query, request, negotiation))
        case .level, .detail, .document:
            let inquiry = try Inquiry(match, query, of: request, negotiation)
            return try answer(inquiry, try Wait(query, request), to: request, from: current)
        case .changes:
            return try followers.answer(request, query, negotiation)
        case .health:
            try query.allow([])
            return .now(selection.response(of: try StatusAnswer.health(), .identity, negotiation))
        case .readiness:
            try query.allow([])
            let state = try StatusAnswer.readiness(current.snapshot, readiness())
            return .now(selection.response(of: state, .identity, negotiation))
        case .problem:
            try query.allow([])
            let page = try ProblemPage.rendered(for: target.extracting(match.path))
            let coding = try negotiation.coding(ofBytes: page.body.count)
            return .now(selection.response(of: page, coding, negotiation))
        }
    }

    private func index(
        of snapshot: Snapshot, _ query: Query, _ request: Request, _ negotiation: Negotiation
    ) throws(Problem) -> Response {
        let isIndented = try query.isIndented()
        let compact = try IndexAnswer.rendered(snapshot)
        let index = isIndented ? compact.indented() : compact
        let coding = try negotiation.coding(ofBytes: index.body.count)
        let tag = index.representation.entityTag(coding)
        try EntityTag.checkMatch(tag, of: request)
        let answer = RenderedAnswer(selection.response(of: index, coding, negotiation), entityTag: tag)
        return answer.response(to: request)
    }

    /// The representation, 304 where the client has it, or that later where it waits for another.
    private func answer(
        _ inquiry: Inquiry, _ wait: Wait?, to request: Request, from current: Publication
    ) throws(Problem) -> Answer {
        let item = try Item(at: inquiry.path, in: current.snapshot)
        var judged: (tag: String?, isHad: Bool)?
        // A long list is read once for a tag.
        func isHad(_ tag: String?) -> Bool {
            if let judged, judged.tag == tag { return judged.isHad }
            let isHad = Self.isHad(tag, by: request, inquiry, wait)
            judged = (tag, isHad)
            return isHad
        }
        let selected = try selection.select(inquiry, item, in: current, unless: isHad)
        try EntityTag.checkMatch(selected.entityTag, of: request)
        let added = wait?.headers ?? []
        guard isHad(selected.entityTag) else {
            return .now(try selected.response(adding: added))
        }
        guard let wait else { return .now(selected.notModified(adding: added)) }
        guard let waiter = waiters.admit(inquiry, having: selected, for: wait) else { throw .tooManyWaiters }
        let now = publication.withLock { $0 }
        // What was published while the request was being admitted may have woken those before it only.
        if now !== current { recheck(waiter, inquiry, having: selected, added, in: now) }
        return .later(waiter)
    }

    /// Whether a client has the representation of a tag: by `If-None-Match`, or without one by the version that it waits
    /// for another than (`?since=`).
    private static func isHad(_ tag: String?, by request: Request, _ inquiry: Inquiry, _ wait: Wait?) -> Bool {
        if request.has(.ifNoneMatch) { return EntityTag.isNamed(tag, by: request) }
        guard wait != nil, let since = inquiry.query["since"] else { return false }
        return EntityTag.isTag(tag, ofVersion: since)
    }

    private func recheck(
        _ waiter: Waiter, _ inquiry: Inquiry, having selected: SelectedRepresentation,
        _ added: SelectedRepresentation.HeaderLines, in now: Publication
    ) {
        do {
            let item = try Item(at: inquiry.path, in: now.snapshot)
            let later = try selection.select(inquiry, item, in: now) { $0 == selected.entityTag }
            if later.entityTag != selected.entityTag { waiter.finish(try later.response(adding: added)) }
        } catch {
            let target = String(decoding: inquiry.target, as: UTF8.self)
            waiter.finish(selection.response(to: error, at: target, inquiry.negotiation))
        }
    }
}
