import Bytes
import ContentCodings
public import HTTPServer
import Levels
import TreeStore

/// Answers what monitoring asks at an address of its own: `/metrics`, `/healthz` and `/readyz`.
public final class MonitoringResponder: Responder {
    private let service: FirstLoadResponder

    /// - Parameter service: the responder of the service.
    public init(_ service: FirstLoadResponder) { self.service = service }

    public func respond(to request: Request) -> Answer {
        service.withAPI { .now($0.response(toMonitor: request)) } ?? service.respond(to: request)
    }

    public func refusal(of request: Request) -> Response? { nil }

    public func route(of request: Request) -> Int { service.route(of: request) }

    public func response(_ response: Response, naming id: String) -> Response {
        service.response(response, naming: id)
    }

    public func response(toBadRequest reason: String, status: Int, target: String) -> Response {
        service.response(toBadRequest: reason, status: status, target: target)
    }

    public func response(toFault id: String, target: String) -> Response {
        service.response(toFault: id, target: target)
    }
}

extension LevelsAPI {
    /// Answers a request at the address of `--metrics-listen`, where `/metrics`, `/healthz` and `/readyz` are served.
    func response(toMonitor request: Request) -> Response {
        if let response = gate.response(to: request) { return response }
        let negotiation = Negotiation(request, configuration.allowedOrigins)
        do throws(Problem) {
            let answer = try answer(request, from: publications.current, negotiation) { audience in
                audience == .probes || audience == .monitoring
            }
            guard let response = answer.response else { throw .unwritten }
            return response
        } catch {
            return selection.response(to: error, at: String(utf8: request.target), negotiation)
        }
    }

    /// Answers `GET /metrics`.
    func metrics(_ call: Call) throws(Problem) -> Response {
        var text = PrometheusText()
        metricsAnswer.write(to: &text)
        let metadata = RepresentationMetadata(
            contentType: PrometheusText.contentType, entityTag: nil, cacheControl: "no-store", vary: nil,
            added: [("X-Content-Type-Options", "nosniff")])
        return try selection.response(of: Rendering(metadata: metadata, body: text.body()), .identity, call.negotiation)
    }

    private var metricsAnswer: MetricsAnswer {
        let snapshot = publications.current.snapshot
        let streams = followers.streamCount
        let counters = configuration.counters
        return MetricsAnswer(
            server: counters.server.totals, store: counters.storeTotals, process: .now,
            gauges: MetricsAnswer.Gauges(
                items: snapshot.itemCount, revision: snapshot.revision, isStale: readiness().lastError != nil,
                // The two are counted one after the other.
                polls: max(room.count - streams, 0), streams: streams, queued: laterAnswers.room.count),
            bodies: configuration.responseBudget, certificateExpiry: configuration.certificateExpiry?(),
            cache: cache.counts, version: counters.version)
    }
}
