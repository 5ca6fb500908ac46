import HTTPServer
import PropertyLists

/// Answers to methods other than GET and HEAD.
enum MethodAnswer {
    private static let allow = "GET, HEAD, OPTIONS"

    /// 204 with `Allow` to OPTIONS, 405 with it to the rest, 404 where nothing is served.
    static func response(to request: Request, _ origins: AllowedOrigins) -> Response {
        let origin = origins.place(of: request)
        if request.method == .options, request.has(.accessControlRequestMethod),
            let permission = origins.preflightHeaders(at: origin, methods: allow)
        {
            // Whatever the target: a browser that is refused here could not read the 404 that says what is wrong.
            return Response(status: 204, headers: [("Allow", allow)] + permission)
        }
        let headers = origins.headers(at: origin)
        let target = String(utf8: request.target)
        guard target == "*" || Route.match(request.target) != nil else {
            return Problem.noSuchRoute(request.target).response(instance: target, headers: headers)
        }
        if request.method == .options { return Response(status: 204, headers: [("Allow", allow)] + headers) }
        let problem = Problem(
            .methodNotAllowed, "This resource only takes \(allow).",
            members: [("allowed", .list(["GET", "HEAD", "OPTIONS"]))])
        return problem.response(instance: target, headers: [("Allow", allow)] + headers)
    }
}
