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
        // The cache has a limit of its own.
        self.response = response.uncharged
        self.entityTag = entityTag
        // A 304 has the header fields that a 200 has (RFC 9110, section 15.4.5).
        notModified = Response(status: 304, headers: response.headers)
        // The library's own record of a response is about 1 KiB; both have the header lines.
        let headers = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        cost = response.body.count + headers * 2 + 2_048
    }

    /// The response to a request, by its conditions.
    ///
    /// - Throws: `Problem` (412) for a false `If-Match`; 503 if the budget has no room.
    @inline(__always)
    func response(to request: Request, chargedTo budget: ResponseBudget) throws(Problem) -> Response {
        if try Condition(request).isNotModified(entityTag) { return notModified }
        guard let charged = response.charged(to: budget) else { throw .tooManyAnswers }
        return charged
    }

    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response {
        response.adding(more)
    }
}
