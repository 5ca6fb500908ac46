import HTTPServer
import TreeStore

/// A request on its way to a handler: its parsed target, and the publication that answers it.
struct Call {
    let request: Request
    let match: Endpoint.Match
    /// The query, not yet checked.
    let query: Query
    let negotiation: Negotiation
    let publication: Publication
    /// The path after the endpoint's name.
    var path: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = request.target.extracting(match.path)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
    /// The key that the cache is known to lack; nil if it was not searched.
    let missed: UInt64?
}
