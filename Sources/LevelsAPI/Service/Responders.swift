import Bytes
import ContentCodings
public import HTTPServer
import Levels
import Synchronization
import TreeStore

/// Answers requests to the service. Until the first document is loaded, it answers `/healthz`, and any other request
/// with 503. Afterwards, all answers come from the API.
@safe
public final class FirstLoadResponder: Responder {
    private let origins: AllowedOrigins
    private let header: ResponseHeader
    /// The API, which is set and retained once; nil before. Every request reads this property, so a read takes no lock
    /// and counts no reference.
    private let api: Atomic<Unmanaged<LevelsAPI>?>

    /// - Parameter configuration: the configuration of the API.
    public init(_ configuration: LevelsAPI.Configuration) {
        origins = configuration.allowedOrigins
        header = ResponseHeader(
            origins, basePath: configuration.basePath, isPrivate: configuration.reading != nil)
        unsafe api = Atomic(nil)
    }

    deinit { unsafe api.load(ordering: .acquiring)?.release() }

    /// From now on, passes requests to an API. Only the first call has an effect.
    public func serve(_ api: LevelsAPI) {
        let retained = unsafe Unmanaged.passRetained(api)
        let isFirst = unsafe self.api.compareExchange(
            expected: nil, desired: retained, ordering: .acquiringAndReleasing
        ).exchanged
        if !isFirst { unsafe retained.release() }
    }

    /// Passes the API to a closure, and returns the closure's result; nil before the first load.
    @inline(__always)
    func withAPI<Output>(_ body: (LevelsAPI) -> Output) -> Output? {
        unsafe api.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { body($0) }
    }

    public func respond(to request: Request) -> Answer {
        withAPI { $0.respond(to: request) } ?? .now(earlyResponse(to: request))
    }

    public func refusal(of request: Request) -> Response? {
        withAPI { $0.refusal(of: request) } ?? earlyResponse(to: request)
    }

    public func bodyLimit(of request: Request) -> Int? { withAPI { $0.bodyLimit(of: request) } ?? nil }

    /// The number of the endpoint in the table, from 1; 0 for a target that is not served.
    public func route(of request: Request) -> Int { Endpoint.number(ofTarget: request.target).map { $0 + 1 } ?? 0 }

    public func response(_ response: Response, naming id: String) -> Response { Problem.naming(id, in: response) }

    public func response(to failure: RequestFailure, target: String) -> Response {
        let problem =
            switch failure {
            case .badRequest(let reason, let status): Problem(badRequest: reason, status: status)
            case .unsent(let id): Problem(fault: id)
            case .outOfMemory: Problem.outOfMemory
            }
        return header.response(to: problem, at: target, for: nil)
    }

    private func earlyResponse(to request: Request) -> Response {
        do throws(Problem) {
            guard let match = Endpoint.match(request.target), String(describing: match.endpoint.name) == "/healthz",
                let operation = match.operation(request.method)
            else { throw .notLoaded }
            try Query(text: request.target.extracting(match.query), options: operation.options).check()
            let alive = try StatusAnswer.health()
            let lines = header.lines(of: alive.metadata, coding: .identity, for: origins.place(of: request))
            return try alive.response(.identity, headers: lines)
        } catch {
            return header.response(to: error, request: request)
        }
    }
}

extension Problem {
    fileprivate static let notLoaded = Problem(
        .notReady, detail: "The document is not loaded yet. Try again after the second in Retry-After.")
}

/// Answers at an address of its own for monitoring: `/metrics`, `/healthz` and `/readyz`.
public final class MonitoringResponder: Responder {
    private let service: FirstLoadResponder

    /// - Parameter service: the responder of the service.
    public init(_ service: FirstLoadResponder) { self.service = service }

    public func respond(to request: Request) -> Answer {
        service.withAPI { .now($0.response(toMonitor: request)) } ?? service.respond(to: request)
    }

    public func route(of request: Request) -> Int { service.route(of: request) }

    public func response(_ response: Response, naming id: String) -> Response {
        service.response(response, naming: id)
    }

    public func response(to failure: RequestFailure, target: String) -> Response {
        service.response(to: failure, target: target)
    }
}

extension LevelsAPI {
    /// Answers a request at the address of `--metrics-listen`.
    func response(toMonitor request: Request) -> Response {
        if let response = gate.response(to: request) { return response }
        let negotiation = Negotiation(request: request, origins: configuration.allowedOrigins)
        do throws(Problem) {
            let answer = try answer(request, from: publications.current, negotiation: negotiation) { audience in
                audience == .probes || audience == .monitoring
            }
            guard let response = answer.response else { throw .unwritten }
            return response
        } catch {
            return selection.response(to: error, at: String(utf8: request.target), negotiation: negotiation)
        }
    }

    func metrics(_ call: Call) throws(Problem) -> Response {
        var text = PrometheusText()
        metricsAnswer.write(to: &text)
        let metadata = RepresentationMetadata(
            contentType: PrometheusText.contentType, entityTag: nil, cacheControl: "no-store", vary: nil)
        return try selection.response(
            of: Rendering(metadata: metadata, body: text.body()), coding: .identity, negotiation: call.negotiation)
    }

    private var metricsAnswer: MetricsAnswer {
        let snapshot = publications.current.snapshot
        let streams = followers.streamCount
        let counters = configuration.counters
        let readiness = readiness()
        return MetricsAnswer(
            server: counters.server.totals, store: counters.storeTotals, process: .now,
            bodies: configuration.responseBudget, certificateExpiry: configuration.certificateExpiry?(),
            cache: cache.counts, version: counters.version, items: snapshot.itemCount, revision: snapshot.revision,
            isStale: readiness.lastError != nil, database: readiness.database,
            // The numbers are read one after the other, so the difference may be negative.
            polls: max(room.count - streams, 0), streams: streams, queued: laterAnswers.room.count)
    }
}
