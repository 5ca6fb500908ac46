import HTTPServer

/// A rendered representation: its response, ready to be queued any number of times, and the one that says that a
/// client has it already.
final class RenderedAnswer: Sendable {
    let response: Response
    /// The strong entity tag with its quotes, if there is one.
    let entityTag: String?
    /// Roughly what it costs to keep, in bytes.
    let cost: Int
    /// Made once for an answer that is kept.
    let notModified: Response?

    init(_ response: Response, entityTag: String?) {
        self.response = response
        self.entityTag = entityTag
        // The library's own record of a response and its header lines is about this large.
        cost = response.body.count + 1_024
        notModified = nil
    }

    /// The same answer with its 304 made beforehand, for keeping.
    init(keeping answer: RenderedAnswer) {
        response = answer.response
        entityTag = answer.entityTag
        cost = answer.cost + 1_024
        notModified = Self.notModified(answer.response)
    }

    /// The answer to a request: 304 where its `If-None-Match` names this representation.
    @inline(__always)
    func response(to request: Request) -> Response {
        guard EntityTag.isNamed(entityTag, by: request) else { return response }
        return notModified ?? Self.notModified(response)
    }

    /// 304 with the header fields that a 200 has (RFC 9110, section 15.4.5).
    private static func notModified(_ response: Response) -> Response {
        Response(status: 304, headers: response.headers)
    }
}
