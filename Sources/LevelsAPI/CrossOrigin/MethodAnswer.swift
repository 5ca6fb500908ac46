import HTTPServer
import PropertyLists

/// Answers to OPTIONS, and to methods that an endpoint does not take.
enum MethodAnswer {
    /// 204 with `Allow` to OPTIONS, 405 with it to a method that is not allowed, 404 if nothing is served; nil for a
    /// method that the endpoint takes.
    static func response(to request: Request, _ origins: AllowedOrigins) -> Response? {
        let origin = origins.place(of: request)
        let endpoint = Endpoint.match(request.target)?.endpoint
        let methods = endpoint?.methods ?? Endpoint.methods
        let allow = methods.joined(separator: ", ")
        if request.method == .options, request.has(.accessControlRequestMethod),
            let permission = origins.preflightHeaders(at: origin, methods: allow)
        {
            // Whatever the target: a browser that is refused here could not read the 404 that says what is wrong.
            return Response(status: 204, headers: [("Allow", allow)] + permission)
        }
        if endpoint?.operation(request.method) != nil { return nil }
        let headers = origins.headers(at: origin)
        let target = String(utf8: request.target)
        guard target == "*" || endpoint != nil else {
            return Problem.noSuchRoute(request.target).response(instance: target, headers: headers)
        }
        if request.method == .options { return Response(status: 204, headers: [("Allow", allow)] + headers) }
        return Problem.methodNotAllowed(methods).response(instance: target, headers: headers)
    }
}
