import Bytes
import ContentCodings
import HTTPServer

/// Finishes the header lines of every response: the one place that tells the pages of other origins what they may read.
struct ResponseHeader {
    typealias Lines = [(name: String, value: String)]

    private let origins: AllowedOrigins

    /// The longest link, in bytes, that the header carries: it grows with the request.
    private static let longestLink = 2_048

    init(_ origins: AllowedOrigins) { self.origins = origins }

    /// The header lines of a representation in a coding, for a client of an origin.
    func lines(
        of metadata: RepresentationMetadata, _ coding: ContentCoding, for origin: AllowedOrigins.Place
    ) -> Lines {
        var lines: Lines = []
        lines.reserveCapacity(8)
        lines.append(("Content-Type", metadata.contentType))
        if coding != .identity { lines.append(("Content-Encoding", coding.token)) }
        if let tag = metadata.entityTag(coding) { lines.append(("ETag", tag)) }
        lines.append(("Cache-Control", metadata.cacheControl))
        lines += origins.headers(at: origin, vary: metadata.vary)
        // The body has the link too. A header larger than the library's buffer could not be sent at all.
        if let next = metadata.next, next.utf8.count <= Self.longestLink {
            lines.append(("Link", "<\(next)>; rel=\"next\""))
        }
        lines += metadata.added
        return lines
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
