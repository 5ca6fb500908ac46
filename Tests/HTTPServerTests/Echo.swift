import HTTPServer
import Synchronization

/// A responder for tests: answers with the request, or runs a given closure.
struct Echo: Responder {
    var answer: @Sendable (Request) -> Response = Echo.description
    /// In place of `answer`, where the answer may come later.
    var give: (@Sendable (Request) -> Answer)?
    var refuse: @Sendable (Request) -> Response? = { _ in nil }
    var limit: Int?
    /// The number of the route of a target.
    var number: @Sendable (String) -> Int = { _ in 0 }

    func respond(to request: Request) -> Answer { give?(request) ?? .now(answer(request)) }
    func refusal(of request: Request) -> Response? { refuse(request) }
    func route(of request: Request) -> Int { number(request.targetText) }
    func bodyLimit(of request: Request) -> Int? { request.method == .put ? limit : nil }
    func response(to failure: RequestFailure, target: String) -> Response {
        switch failure {
        case .badRequest(let reason, let status):
            let instance = target.isEmpty ? [] : [("Instance", String(target.prefix(100)))]
            return Response(status: status, headers: instance, body: Array(reason.utf8))
        case .unsent(let id): return Echo.text("fault \(id) \(target)", status: 500)
        case .outOfMemory: return Response(status: 503, headers: [("Retry-After", "5")])
        }
    }

    /// Describes each request; one for `/busy` keeps its thread until it is released.
    static func busy(asked: Gate, released: Gate) -> Echo {
        Echo(answer: { request in
            if request.targetText == "/busy" {
                asked.open()
                try? released.pass()
            }
            return description(of: request)
        })
    }

    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    /// Method, target and body in one line.
    static func description(of request: Request) -> Response {
        text("\(request.method) \(request.targetText) \(String(decoding: request.body, as: UTF8.self))")
    }
}

extension Server.Configuration {
    /// The default with two threads and this change.
    static func varied(_ change: (inout Server.Configuration) -> Void = { _ in }) -> Server.Configuration {
        var configuration = Server.Configuration()
        configuration.threads = 2
        change(&configuration)
        return configuration
    }
}

extension Server {
    /// Binds an address, by default a free port of the loopback address, and begins to serve.
    convenience init(
        configuration: Configuration, responder: any Responder, host: String = "127.0.0.1", port: UInt16 = 0
    ) throws(ServerError) {
        try self.init(
            configuration: configuration, responder: responder, listeners: [Listener(host: host, port: port)])
    }
}

/// Starts a server on a free port, hands over its port, and stops it.
func withServer<Result>(
    _ responder: Echo = Echo(), _ configuration: Server.Configuration = .varied(),
    _ body: (UInt16) throws -> Result
) throws -> Result {
    let server = try Server(configuration: configuration, responder: responder)
    defer { server.stop(grace: .seconds(5)) }
    return try body(server.port)
}

/// The same, with a client that is connected to it.
func withClient<Result>(
    _ responder: Echo = Echo(), _ configuration: Server.Configuration = .varied(),
    _ body: (RawClient) throws -> Result
) throws -> Result {
    try withServer(responder, configuration) { try body(RawClient(port: $0)) }
}
