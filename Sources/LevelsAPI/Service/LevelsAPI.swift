import Bytes
import ContentCodings
import HTTPServer
import Levels
import Locking
import Synchronization
public import TreeStore

/// Answers requests from a published tree. The way from a request to its response is a straight line on one thread.
///
/// Gate → publication → cached answer, else endpoint → query → item → rendered answer. A client that already has the
/// answer may wait for the next answer.
public final class LevelsAPI: Sendable {
    let publications: Publications
    let cache: ResponseCache
    let selection: Selection
    let groups: WaitingGroups
    /// The places of long polls and streams.
    let room: WaitingRoom
    let laterAnswers: LaterAnswers
    /// Reads the long bodies of edits.
    let bodyQueue: WorkQueue
    private let log: ChangeLog
    /// The time of the last check of the waiting requests.
    private let rechecked = Guarded(ContinuousClock.now)
    let followers: ChangeFollowers
    let edits: EditsInProgress
    let gate: Gate
    private let assets: Assets
    private let webClient: WebClientAnswers?
    let description: ServiceDescription
    let readiness: @Sendable () -> Readiness
    let configuration: Configuration
    /// Whether the service stops soon, so that no new requests should come.
    private let isDraining = Atomic<Bool>(false)

    /// - Parameters:
    ///   - publications: the trees to serve. The thread that notifies the subscribers of the publications also answers
    ///     waiting requests.
    ///   - readiness: called for each `/readyz`.
    public init(
        publications: Publications, configuration: Configuration = .init(),
        readiness: @escaping @Sendable () -> Readiness
    ) {
        self.publications = publications
        let configuration = configuration.withPrivateAnswers
        self.configuration = configuration
        self.readiness = readiness
        cache = ResponseCache(bytes: configuration.cacheBytes)
        selection = Selection(publications: publications, cache: cache, configuration: configuration)
        room = WaitingRoom(capacity: configuration.waiters)
        laterAnswers = LaterAnswers(configuration)
        groups = WaitingGroups(
            publications: publications, queue: laterAnswers.queue, time: configuration.notifyingTime,
            largestCost: configuration.largestImmediateWork, now: configuration.now,
            checksEachSecond: configuration.checksEachSecond)
        // The limit of edits in progress bounds this queue, too.
        bodyQueue = WorkQueue(capacity: .max, start: configuration.startWork ?? WorkQueue.onThread)
        let editing = configuration.editing
        edits = EditsInProgress(capacity: editing?.capacity ?? 0, byteLimit: editing?.bodyBytes ?? 0)
        let admission = Admission(
            origins: configuration.allowedOrigins, editing: editing?.access, reading: configuration.reading)
        gate = Gate(header: selection.header, admission: admission)
        description = ServiceDescription(
            version: configuration.counters.version, readsNeedToken: configuration.reading != nil,
            basePath: configuration.basePath)
        assets = Assets(
            in: configuration.assetsFolder, cacheControl: configuration.cacheControl, header: selection.header)
        webClient =
            configuration.hasWebClient
            ? WebClientAnswers(
                header: selection.header, basePath: configuration.basePath, isOpen: configuration.reading == nil) : nil
        log = ChangeLog(publications, basePath: configuration.basePath)
        followers = ChangeFollowers(log: log, selection: selection, groups: groups, room: room)
        let start = publications.subscribe { [weak self] old, new in self?.follow(old, new: new) }
        log.begin(after: start)
    }

    /// Records a change for the followers of `/changes`, and then answers the requests that wait for a change.
    private func follow(_ old: Snapshot, new: Publication) {
        log.append(new, replacing: old, arrangements: selection.arrangements)
        followers.wake()
        // If publications follow in quick succession, all waiting requests are checked only for the last one, unless the
        // previous check was too long ago.
        let isLate = rechecked.withLock { $0.duration(to: .now) > configuration.notifyingTime * 4 }
        let isWhole = publications.current.number == new.number || isLate
        groups.check(isWhole: isWhole)
        if isWhole { rechecked.withLock { $0 = .now } }
    }

    /// Answers a request, immediately or later.
    func respond(to request: Request) -> Answer {
        if let response = gate.response(to: request) { return .now(response) }
        let current = publications.current
        var negotiation = Negotiation(request: request, origins: configuration.allowedOrigins)
        if let translations = current.snapshot.translations { negotiation.choose(among: translations, for: request) }
        let key = negotiation.key(of: request.target)
        // A request that may wait is looked up later, by the target without the wait.
        let isLookedUp =
            (request.method == .get || request.method == .head) && !request.hasAny(of: [.prefer, .drilldownRevision])
        do {
            let found = isLookedUp ? cache.find(request.target, hash: key, in: current.number) : nil
            if case .verified(let kept) = found {
                return .now(try kept.response(to: request, chargedTo: configuration.responseBudget))
            }
            return try answer(request, from: current, negotiation: negotiation, key: key, found, where: serves)
        } catch {
            return .now(selection.response(to: error, at: String(utf8: request.target), negotiation: negotiation))
        }
    }

    /// The response that refuses a request before its body is read; nil to read the body.
    func refusal(of request: Request) -> Response? {
        if let response = gate.response(to: request) { return response }
        guard let content = Endpoint.match(request.target)?.operation(request.method)?.content else { return nil }
        do throws(Problem) {
            _ = try gate.admission.admit(request, content: content)
            return nil
        } catch {
            return selection.header.response(to: error, request: request)
        }
    }

    /// The maximum size of a body, in bytes; nil for the limit of the server.
    func bodyLimit(of request: Request) -> Int? {
        guard request.method == .put, Endpoint.match(request.target)?.operation(.put)?.content == .document else {
            return nil
        }
        return configuration.editing?.maximumDocumentBytes
    }

    /// Makes `/readyz` report from now on that the service stops soon; all requests are still answered.
    public func beginDraining() { isDraining.store(true, ordering: .relaxed) }

    // MARK: Handlers

    /// Answers a request that the cache does not answer.
    ///
    /// - Parameters:
    ///   - key: the key of the target in the form that the header selects.
    ///   - found: the result of the look-up in the cache; nil if there was no look-up.
    ///   - isServed: whether an endpoint for an audience is served at the address of the request.
    func answer(
        _ request: Request, from current: Publication, negotiation: Negotiation, key: UInt64? = nil,
        _ found: ResponseCache.Found? = nil, where isServed: (Endpoint.Audience) -> Bool
    ) throws(Problem) -> Answer {
        let target = request.target
        guard let match = Endpoint.match(target), isServed(match.endpoint.audience) else {
            throw .noSuchRoute(target)
        }
        guard var operation = match.operation(request.method) else { throw .methodNotAllowed(match.methods) }
        if operation.name == .getIndex, webClient != nil, WebClientAnswers.isPreferred(by: request) {
            operation = .page
        }
        var call = Call(
            request: request, match: match,
            query: try Query(text: target.extracting(match.query), options: operation.options),
            negotiation: negotiation, publication: current, key: key, found: found)
        if let content = operation.content {
            // An edit with a body was admitted before the body was read (`refusal(of:)`).
            let token =
                request.body.isEmpty
                ? try gate.admission.admit(request, content: content) : try gate.admission.token(ofAdmitted: request)
            call.author = token.name
        }
        let isOfItem = match.endpoint.path == .item
        if isOfItem { call.item = try ItemPath(requested: call.path) }
        // A read of an item checks its parameters itself, because a missing item is reported first.
        if !isOfItem || operation.content != nil { try call.query.check() }
        return try answer(operation.name, call: call)
    }

    private func answer(_ name: Endpoint.Operation.Name, call: Call) throws(Problem) -> Answer {
        switch name {
        case .getIndex: .now(try index(call))
        case .getLevel: try answer(.level, call: call)
        case .getDetail: try answer(.detail, call: call)
        case .getDocument: try answer(.document, call: call)
        case .getAsset: .now(try assets.response(to: call.request, at: call.path, for: call.negotiation.origin))
        case .getBrowser, .getClientFile: .now(try webClientResponse(name, call: call))
        case .getProblems: .now(try problems(call))
        case .getValues: .now(try answer(ValuesAnswer.rendered(call.publication.snapshot.document), call: call))
        case .getChanges:
            try followers.answer(call.request, query: call.query, negotiation: call.negotiation, upTo: call.publication)
        case .getHealth: .now(try status(StatusAnswer.health(), call: call))
        case .getReadiness: .now(try readinessResponse(call))
        case .getMetrics: .now(try metrics(call))
        case .getDescription: .now(try answer(description.rendered(), call: call, keeping: description.forms))
        case .addItem: try insert(call)
        case .putItem: try put(call)
        case .patchItem: try patch(call)
        case .deleteItem: try delete(call)
        case .putDocument: try replaceDocument(call)
        case .moveItem: try move(call)
        case .doEdits: try editSteps(call)
        case .reload: try reload(call)
        }
    }

    /// Whether endpoints for an audience are served at addresses other than the address of monitoring.
    private func serves(_ audience: Endpoint.Audience) -> Bool {
        switch audience {
        case .everyone, .probes: true
        case .browsers: webClient != nil
        case .monitoring: !configuration.hidesMetrics
        }
    }

    private func index(_ call: Call) throws(Problem) -> Response {
        let index = try IndexAnswer.rendered(
            shownSnapshot(call), isEditable: gate.admission.isEditingOn, needsToken: configuration.reading != nil,
            under: configuration.basePath)
        return try answer(index, call: call)
    }

    /// Answers with JSON, which is indented if the query says so. A client that already has the JSON gets 304.
    ///
    /// - Parameter forms: keeps the bodies for other clients; nil to keep no bodies.
    private func answer(
        _ compact: consuming Rendering, call: Call, keeping forms: KeptForms? = nil
    ) throws(Problem) -> Response {
        var values = QueryValues()
        try call.query.readAnswer(into: &values)
        let rendering = values.delivery.isIndented ? compact.indented() : compact
        let selected = try selection.representation(of: rendering, negotiation: call.negotiation)
        guard try !Condition(call.request).isNotModified(selected.entityTag) else { return selected.notModified() }
        guard let forms else { return try selected.response() }
        return try forms.response(of: selected)
    }

    private func readinessResponse(_ call: Call) throws(Problem) -> Response {
        if isDraining.load(ordering: .relaxed) { throw .draining }
        let state = try StatusAnswer.readiness(shownSnapshot(call), readiness: readiness())
        return try status(state, call: call)
    }

    /// Answers without a coding, so that the `Accept-Encoding` of a probe cannot make the probe fail.
    private func status(_ compact: consuming Rendering, call: Call) throws(Problem) -> Response {
        var values = QueryValues()
        try call.query.readAnswer(into: &values)
        let rendering = values.delivery.isIndented ? compact.indented() : compact
        return try selection.response(of: rendering, coding: .identity, negotiation: call.negotiation)
    }

    /// The snapshot; nil if the client may not read it.
    private func shownSnapshot(_ call: Call) -> Snapshot? {
        gate.admission.allowsReading(call.request) ? call.publication.snapshot : nil
    }

    private func webClientResponse(_ name: Endpoint.Operation.Name, call: Call) throws(Problem) -> Response {
        guard let webClient else { throw .noSuchRoute(call.request.target) }
        let file = name == .getClientFile ? String(utf8: call.path) : nil
        return try webClient.response(with: file, to: call.request, query: call.query, negotiation: call.negotiation)
    }

    private func problems(_ call: Call) throws(Problem) -> Response {
        let page = try ProblemPage.rendered(for: call.path, under: configuration.basePath)
        return try selection.representation(of: page, negotiation: call.negotiation).response()
    }

    /// Answers about an item with its representation. If the client already has the representation, the answer is 304,
    /// or, for a client that waits, the next representation later.
    private func answer(_ subject: Question.Subject, call: Call) throws(Problem) -> Answer {
        let (negotiation, publication) = (call.negotiation, call.publication)
        var values = QueryValues()
        values.delivery.format = subject.format(accepted: negotiation.format)
        try call.query.readDelivery(call.request, into: &values)
        values.delivery.revision = try AskedRevision.read(
            values.delivery.revision, request: call.query.isFollowing ? nil : call.request, in: publication.snapshot)
        let missing = try values.delivery.revision.flatMap { revision throws(Problem) in
            try AskedRevision.isHere(revision, in: publication) ? nil : revision
        }
        if missing != nil || !publication.snapshot.isImmediate(at: call.item) {
            try call.query.readAnswer(into: &values)
            let question = Question(
                subject: subject, at: call.item, values: values, from: call.query, of: call.request, negotiation,
                now: groups.now())
            if let missing { return try answer(question, request: call.request, when: missing, after: publication) }
            if let early = try answerEarly(question, after: publication) { return early }
            return try answerLater(question, request: call.request)
        }
        let source = publication.snapshot.source(
            at: call.item, arrangements: selection.arrangements, language: subject.language(negotiation))
        let item = try source.item(at: call.item)
        try call.query.readAnswer(into: &values)
        let question = Question(
            subject: subject, at: call.item, values: values, from: call.query, of: call.request, key: call.key,
            negotiation, now: groups.now())
        let inquiry = Inquiry(question: question, publication: publication, source: source, item: item)
        if let early = try answerEarly(question, after: publication) { return early }
        let isLookedUp = question.key == call.key
        let found = (isLookedUp ? call.found : nil) ?? selection.find(question, in: publication)
        if selection.takesLong(inquiry, found: found) { return try answerLater(question, request: call.request) }
        switch try decide(inquiry, found: found, call.request) {
        case .now(let response): return .now(response)
        case .later(let selected, let isKnown):
            guard let waiter = admit(question) else { throw .tooManyWaiters }
            hold(waiter, inquiry: inquiry, having: selected, isKnown: isKnown)
            return .later(waiter)
        }
    }
}
