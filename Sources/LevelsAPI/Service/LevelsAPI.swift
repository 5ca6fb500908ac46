import Bytes
import ContentCodings
public import HTTPServer
import Levels
public import TreeStore

/// Answers requests from a published tree: the way from a request to its response, on one thread, in one straight line.
///
/// Gate → publication → cached answer, else endpoint → query → item → rendered answer; one that the client has may be
/// waited for.
public final class LevelsAPI: Responder {
    let publications: Publications
    let cache: ResponseCache
    private let selection: Selection
    private let waiters: Waiters
    private let log: ChangeLog
    private let followers: ChangeFollowers
    private let gate: Gate
    private let readiness: @Sendable () -> Readiness
    private let configuration: Configuration

    /// - Parameters:
    ///   - publications: what is served; requests that wait are answered on the thread that notifies its subscribers.
    ///   - readiness: called for each `/readyz`.
    public init(
        _ publications: Publications, configuration: Configuration = .init(),
        readiness: @escaping @Sendable () -> Readiness
    ) {
        self.publications = publications
        self.configuration = configuration
        self.readiness = readiness
        cache = ResponseCache(bytes: configuration.cacheBytes)
        selection = Selection(history: History(publications), cache: cache, configuration: configuration)
        let room = WaitingRoom(capacity: configuration.waiters)
        waiters = Waiters(room: room)
        gate = Gate(header: selection.header)
        log = ChangeLog(publications)
        followers = ChangeFollowers(log, selection, room: room)
        let start = publications.subscribe { [weak self] old, new in self?.follow(old, new) }
        log.begin(after: start)
    }

    /// Answers the requests that wait for what a publication changed, then records the change.
    private func follow(_ old: Snapshot, _ new: Publication) {
        // What is served now: those who wait skip the publications that it has replaced already.
        let now = publications.current
        waiters.wake(now) { inquiry, item, known throws(Problem) in
            try selection.select(inquiry, item, in: now, known: known)
        } refuse: { problem, inquiry in
            selection.response(to: problem, at: String(decoding: inquiry.target, as: UTF8.self), inquiry.negotiation)
        }
        log.append(Change(from: old, to: new.snapshot), leadingTo: new)
        followers.wake()
    }

    public func respond(to request: Request) -> Answer {
        if let response = gate.response(to: request) { return .now(response) }
        let current = publications.current
        let negotiation = Negotiation(request, configuration.allowedOrigins)
        let hash = ResponseCache.hash(request.target, negotiation)
        // A request that may wait is looked up later, by its target without the wait.
        let isLookedUp = (request.method == .get || request.method == .head) && !request.has(.prefer)
        do {
            var missed: UInt64?
            if isLookedUp {
                switch cache.find(request.target, hash: hash, in: current.number) {
                case .verified(let kept): return .now(try kept.response(to: request))
                case .unverified: break
                case .missing: missed = hash
                }
            }
            return try answer(request, from: current, negotiation, missed: missed)
        } catch {
            return .now(selection.response(to: error, at: String(utf8: request.target), negotiation))
        }
    }

    public func refusal(of request: Request) -> Response? {
        gate.response(to: request)
    }

    public func response(toBadRequest reason: String, status: Int, target: String) -> Response {
        response(to: Problem(.of(status: status), reason), target)
    }

    public func response(toFault id: String, target: String) -> Response {
        let detail = "The answer cannot be sent; the server's log has the reason under '\(id)'."
        return response(to: Problem(.internalFault, detail, members: [("id", .text(id))]), target)
    }

    private func response(to problem: Problem, _ target: String) -> Response {
        selection.header.response(to: problem, at: target, for: nil)
    }

    // MARK: Handlers

    private func answer(
        _ request: Request, from current: Publication, _ negotiation: Negotiation, missed: UInt64?
    ) throws(Problem) -> Answer {
        let target = request.target
        guard let match = Endpoint.match(target) else { throw .noSuchRoute(target) }
        guard let operation = match.endpoint.operation(request.method) else {
            throw .methodNotAllowed(match.endpoint.methods)
        }
        let query = try Query(target.extracting(match.query), operation.options)
        return try operation.handler(
            self,
            Call(
                request: request, match: match, query: query, negotiation: negotiation, publication: current,
                missed: missed))
    }

    func index(_ call: Call) throws(Problem) -> Response {
        var query = LevelQuery()
        try query.readAnswer(call.query)
        let compact = try IndexAnswer.rendered(call.publication.snapshot)
        let index = query.isIndented ? compact.indented() : compact
        let selected = try selection.representation(of: index, call.negotiation)
        let isNotModified = try Condition(call.request).isNotModified(selected.entityTag)
        return isNotModified ? selected.notModified() : try selected.response()
    }

    func changes(_ call: Call) throws(Problem) -> Answer {
        try followers.answer(call.request, call.query, call.negotiation)
    }

    func health(_ call: Call) throws(Problem) -> Response {
        try call.query.check()
        return selection.response(of: try StatusAnswer.health(), .identity, call.negotiation)
    }

    func readinessAnswer(_ call: Call) throws(Problem) -> Response {
        try call.query.check()
        let state = try StatusAnswer.readiness(call.publication.snapshot, readiness())
        return selection.response(of: state, .identity, call.negotiation)
    }

    func problems(_ call: Call) throws(Problem) -> Response {
        try call.query.check()
        let page = try ProblemPage.rendered(for: call.request.target.extracting(call.match.path))
        return try selection.representation(of: page, call.negotiation).response()
    }

    /// Answers with the representation, with 304 if the client has it, or later with the next one if the client waits.
    func answer(_ subject: Inquiry.Subject, _ call: Call) throws(Problem) -> Answer {
        let path = try ItemPath(requested: call.request.target.extracting(call.match.path))
        let format = subject.format(accepted: call.negotiation.format)
        var query = try LevelQuery(deliveryOf: call.query, call.request, format: format)
        let item = try Item(at: path, in: call.publication.snapshot)
        try query.readAnswer(call.query)
        let inquiry = Inquiry(subject, at: path, query, of: call)
        let selected = try selection.select(inquiry, item, in: call.publication, missed: call.missed)
        let added = query.wait?.headers ?? []
        guard try Condition(call.request, query).isNotModified(selected.entityTag) else {
            return .now(try selected.response(adding: added))
        }
        guard let wait = query.wait else { return .now(selected.notModified(adding: added)) }
        let number = call.publication.number
        guard let waiter = waiters.admit(inquiry, about: item, having: selected, in: number, for: wait) else {
            throw .tooManyWaiters
        }
        let now = publications.current
        // The waiters may have been woken for a newer publication before this one was added.
        if now.number != number { recheck(waiter, inquiry, having: selected, added, in: now) }
        return .later(waiter)
    }

    private func recheck(
        _ waiter: Waiter, _ inquiry: Inquiry, having selected: Representation,
        _ added: Representation.HeaderLines, in now: Publication
    ) {
        do {
            let item = try Item(at: inquiry.path, in: now.snapshot)
            let later = try selection.select(inquiry, item, in: now)
            if later.entityTag != selected.entityTag { waiter.finish(try later.response(adding: added)) }
        } catch {
            let target = String(decoding: inquiry.target, as: UTF8.self)
            waiter.finish(selection.response(to: error, at: target, inquiry.negotiation))
        }
    }
}
