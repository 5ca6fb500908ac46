import HTTPServer
import TreeStore

/// A request on its way to a handler: its target taken apart, and what it is answered from.
struct Call {
    let request: Request
    let match: Endpoint.Match
    /// The query, not yet checked.
    let query: Query
    let negotiation: Negotiation
    let publication: Publication
    /// The key under which the cache was searched in vain; nil if it was not searched.
    let missed: UInt64?
}
