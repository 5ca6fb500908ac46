import ContentCodings
public import HTTPServer
import Synchronization

/// Answers until the first document is loaded, and passes every request to the API from then on.
///
/// `/healthz` is alive; everything else is 503.
@safe
public final class FirstLoadResponder: Responder {
    private let origins: AllowedOrigins
    private let header: ResponseHeader
    /// Retained; set once. Reading it takes no lock and counts no reference, because every request does.
    private let api: Atomic<Unmanaged<LevelsAPI>?>

    /// - Parameter configuration: that of the API.
    public init(_ configuration: LevelsAPI.Configuration) {
        origins = configuration.allowedOrigins
        header = ResponseHeader(origins)
        unsafe api = Atomic(nil)
    }

    deinit { unsafe api.load(ordering: .acquiring)?.release() }

    /// Passes requests to an API from now on; only the first call counts.
    public func serve(_ api: LevelsAPI) {
        let retained = unsafe Unmanaged.passRetained(api)
        let isFirst = unsafe self.api.compareExchange(
            expected: nil, desired: retained, ordering: .acquiringAndReleasing
        ).exchanged
        if !isFirst { unsafe retained.release() }
    }

    /// Passes the API to a closure; nil before the first load.
    func withAPI<Output>(_ body: (LevelsAPI) -> Output) -> Output? {
        unsafe api.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { body($0) }
    }

    public func respond(to request: Request) -> Answer {
        guard let api = unsafe api.load(ordering: .acquiring) else { return .now(earlyResponse(to: request)) }
        return unsafe api._withUnsafeGuaranteedRef { $0.respond(to: request) }
    }

    public func refusal(of request: Request) -> Response? {
        guard let api = unsafe api.load(ordering: .acquiring) else { return earlyResponse(to: request) }
        return unsafe api._withUnsafeGuaranteedRef { $0.refusal(of: request) }
    }

    public func bodyLimit(of request: Request) -> Int? {
        unsafe api.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.bodyLimit(of: request) }
    }

    public func route(of request: Request) -> Int { LevelsAPI.route(of: request) }

    public func response(_ response: Response, naming id: String) -> Response { Problem.naming(id, in: response) }

    public func response(toBadRequest reason: String, status: Int, target: String) -> Response {
        header.response(to: Problem(badRequest: reason, status: status), at: target, for: nil)
    }

    public func response(toFault id: String, target: String) -> Response {
        header.response(to: Problem(fault: id), at: target, for: nil)
    }

    public func responseWithoutMemory(target: String) -> Response {
        header.response(to: .outOfMemory, at: target, for: nil)
    }

    private func earlyResponse(to request: Request) -> Response {
        do throws(Problem) {
            guard let match = Endpoint.match(request.target), String(describing: match.endpoint.name) == "/healthz",
                let operation = match.operation(request.method)
            else { throw .notLoaded }
            try Query(request.target.extracting(match.query), operation.options).check()
            let alive = try StatusAnswer.health()
            let lines = header.lines(of: alive.metadata, .identity, for: origins.place(of: request))
            return try alive.response(.identity, headers: lines)
        } catch {
            return header.response(to: error, request)
        }
    }
}

extension Problem {
    fileprivate static let notLoaded = Problem(
        .notReady, "The document is not loaded yet. Try again after the second in Retry-After.")
}
