import HTTPServer

/// A cached representation: its response, which can be queued any number of times, and its 304.
final class RenderedAnswer: Sendable, RepresentationBody {
    let response: Response
    /// The strong entity tag with its quotes; nil for a representation without one.
    let entityTag: String?
    /// The approximate memory use, in bytes.
    let cost: Int
    /// The response to a client that already has the representation.
    let notModified: Response

    init(_ response: Response, entityTag: String?) {
        self.response = response
        self.entityTag = entityTag
        // A 304 has the header fields that a 200 has (RFC 9110, section 15.4.5).
        notModified = Response(status: 304, headers: response.headers)
        // The library's own record of a response is about 1 KiB; both have the header lines.
        let headers = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        cost = response.body.count + headers * 2 + 2_048
    }

    /// The response to a request, by its conditions.
    ///
    /// - Throws: `Problem` (412) for a false `If-Match`.
    @inline(__always)
    func response(to request: Request) throws(Problem) -> Response {
        try Condition(request).isNotModified(entityTag) ? notModified : response
    }

    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response {
        try response.adding(more)
    }
}
