import HTTPServer

/// A rendered representation: its response, ready to be queued any number of times.
final class RenderedAnswer: Sendable {
    let response: Response
    /// The strong entity tag with its quotes.
    let entityTag: String
    /// Roughly what it costs to keep, in bytes.
    let cost: Int

    init(_ response: Response, entityTag: String, bodyBytes: Int) {
        self.response = response
        self.entityTag = entityTag
        // The library's own record of a response and its header lines is about this large.
        cost = bodyBytes + 1_024
    }

    /// The answer to a request: 304 where its `If-None-Match` names this representation.
    @inline(__always)
    func response(to request: Request) -> Response {
        guard request.has(.ifNoneMatch), let list = request.field(.ifNoneMatch), EntityTag.matches(list, entityTag)
        else {
            return response
        }
        return Response(status: 304, sharing: response)
    }
}
