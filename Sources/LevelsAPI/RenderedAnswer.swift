import HTTPServer
import Locking

/// A rendered representation: its response, ready to be queued any number of times, and the one that says that a
/// client has it already.
final class RenderedAnswer: Sendable {
    let response: Response
    /// The strong entity tag with its quotes.
    let entityTag: String
    /// Roughly what it costs to keep, in bytes.
    let cost: Int
    private let notModifiedResponse = Guarded<Response?>(nil)

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
        return notModified
    }

    /// 304 with the header fields that a 200 would have, less those that describe a body (RFC 9110, section 15.4.5).
    private var notModified: Response {
        notModifiedResponse.withLock { made in
            if let made { return made }
            let new = Response(status: 304, headers: response.headers.filter { $0.name != "Content-Type" })
            made = new
            return new
        }
    }
}
