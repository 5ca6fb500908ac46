import Bytes
import HTTPServer
import PropertyLists

/// Checks each request before the service looks up anything for it, even in the cache.
///
/// Only checks that apply to several endpoints belong here.
struct Gate {
    let header: ResponseHeader
    let admission: Admission

    /// The response to a request that is refused, or that is answered without a resource; nil to let the request pass.
    @inline(__always)
    func response(to request: Request) -> Response? {
        let isRead = request.method == .get || request.method == .head
        if isRead, !admission.restrictsReading { return nil }
        let match = Endpoint.match(request.target)
        let operation = match?.operation(request.method)
        // A browser sends no token with a preflight. The token of an edit is checked when the edit is admitted.
        if request.method != .options, match?.endpoint.isOpen != true, operation?.content == nil {
            do throws(Problem) { try admission.checkReading(request) } catch {
                return header.response(to: error, request: request)
            }
        }
        if isRead || (request.method != .options && operation != nil) { return nil }
        return methodResponse(to: request, match: match)
    }

    /// 204 with `Allow` for OPTIONS, 405 with `Allow` for a method that is not allowed, and 404 if nothing is served at
    /// the target.
    private func methodResponse(to request: Request, match: Endpoint.Match?) -> Response {
        let methods = match?.methods ?? Endpoint.methods
        let isServed = match != nil || String(utf8: request.target) == "*"
        // Allowed preflight requests succeed for any target. Otherwise the browser could not read the 404 that explains
        // the error.
        if request.method == .options, isServed || header.permits(request) {
            let granted = admission.isEditingOn ? methods : methods.filter(AllowedOrigins.readingMethods.contains)
            return header.options(request, allow: methods.joined(separator: ", "), granting: granted)
        }
        guard isServed else { return header.response(to: .noSuchRoute(request.target), request: request) }
        return header.response(
            to: .methodNotAllowed(methods, advice: match.flatMap { advice(on: request, match: $0) }), request: request)
    }

    /// A sentence with the address of the same item that allows the method of a request; nil if there is none.
    private func advice(on request: Request, match: Endpoint.Match) -> String? {
        guard match.endpoint.path == .item,
            let other = Endpoint.all.first(where: { $0.path == .item && $0.operation(request.method) != nil })
        else { return nil }
        let path = String(utf8: request.target.extracting(match.path))
        let link = "\(header.basePath)\(other.name)\(path.isEmpty ? "/" : path)"
        return "Send \(request.method.name) to '\(quoted: link)'."
    }
}

extension Problem {
    /// 404 for a target without a route.
    static func noSuchRoute(_ target: Span<UInt8>) -> Problem {
        let path = target.extracting(0..<target.index(of: UInt8(ascii: "?")))
        return Problem(
            .noSuchRoute, detail: "Nothing is served at '\(quoted: path)'. \(advice(on: path))",
            members: [("allowed", .list(Endpoint.names))])
    }

    private static func advice(on path: Span<UInt8>) -> String {
        if Endpoint.match(path) != nil { return "Another address of this service may serve it." }
        let general = "Start with /levels/ and follow the links."
        var start = 0
        while start < path.count, path[start] == UInt8(ascii: "/") { start += 1 }
        let rest = path.extracting(start..<path.count)
        let segment = rest.extracting(0..<rest.index(of: UInt8(ascii: "/")))
        guard segment.count <= EditDistance.longestText else { return general }
        let near = EditDistance.nearest(to: "/" + String(utf8: segment), among: Endpoint.names.filter { $0 != "/" })
        return near.map { "Did you mean '\($0)'?" } ?? general
    }
}
