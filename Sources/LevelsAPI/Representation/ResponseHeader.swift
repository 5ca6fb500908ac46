import Bytes
import ContentCodings
import HTTPServer

/// Finishes the header lines of every response: the one place that tells the pages of other origins what they may read.
struct ResponseHeader {
    typealias Lines = [(name: String, value: String)]

    private let origins: AllowedOrigins

    /// How long a link may be to be told in the header, in bytes: it grows with the request.
    private static let longestLink = 2_048

    init(_ origins: AllowedOrigins) { self.origins = origins }

    /// Those of a representation in a coding, for a client of an origin.
    func lines(of representation: Representation, _ coding: ContentCoding, for origin: AllowedOrigins.Place) -> Lines {
        var lines = [(name: "Content-Type", value: representation.contentType)]
        if coding != .identity { lines.append(("Content-Encoding", coding.token)) }
        if let tag = representation.entityTag(coding) { lines.append(("ETag", tag)) }
        lines.append(("Cache-Control", representation.cacheControl))
        lines += origins.headers(at: origin, vary: representation.vary)
        // The body has it too. A header of more than the library's buffer could not be sent at all.
        if let next = representation.next, next.utf8.count <= Self.longestLink {
            lines.append(("Link", "<\(next)>; rel=\"next\""))
        }
        return lines + representation.added
    }

    /// A problem's answer to a target.
    ///
    /// - Parameter origin: nil if what was sent could not be read as a request.
    func response(to problem: Problem, at target: String, for origin: AllowedOrigins.Place?) -> Response {
        let place = origin ?? origins.placeWithoutRequest
        return problem.response(instance: target, headers: origins.headers(at: place))
    }

    /// The answer without content to OPTIONS, also where it asks for permission to send another request.
    func options(_ request: Request, allow: String) -> Response {
        let origin = origins.place(of: request)
        let lines = permission(request, origin, allow) ?? origins.headers(at: origin)
        return Response(status: 204, headers: [("Allow", allow)] + lines)
    }

    /// Whether a browser asks for a permission that it gets.
    func permits(_ request: Request, allow: String) -> Bool {
        permission(request, origins.place(of: request), allow) != nil
    }

    private func permission(_ request: Request, _ origin: AllowedOrigins.Place, _ methods: String) -> Lines? {
        guard request.has(.accessControlRequestMethod) else { return nil }
        return origins.preflightHeaders(at: origin, methods: methods)
    }

    /// A problem's answer to a request.
    func response(to problem: Problem, _ request: Request) -> Response {
        response(to: problem, at: String(utf8: request.target), for: origins.place(of: request))
    }
}
