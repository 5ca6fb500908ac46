public import HTTPServer

/// Answers what monitoring asks at an address of its own: `/metrics`, `/healthz` and `/readyz`.
public final class MonitoringResponder: Responder {
    private let service: FirstLoadResponder

    /// - Parameter service: the responder of the service.
    public init(_ service: FirstLoadResponder) { self.service = service }

    /// Whether an endpoint is served here.
    static func serves(_ endpoint: Endpoint) -> Bool {
        isMetrics(endpoint) || ["/healthz", "/readyz"].contains(String(describing: endpoint.name))
    }

    /// Whether an endpoint is that of the metrics.
    static func isMetrics(_ endpoint: Endpoint) -> Bool { String(describing: endpoint.name) == "/metrics" }

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
