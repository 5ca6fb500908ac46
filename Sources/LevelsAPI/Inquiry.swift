import HTTPServer
import Levels
import PropertyLists

/// What a request for a level, a detail or a document asks, apart from the request: with a snapshot, it is all that
/// the answer depends on.
struct Inquiry {
    let route: Route
    let path: ItemPath
    /// The target without `wait`, which says nothing about the answer.
    let target: [UInt8]
    let query: Query
    let negotiation: Negotiation

    /// - Throws: `Problem` (400) for a path that is not percent-encoded UTF-8.
    init(_ match: Route.Match, _ query: Query, of request: Request, _ negotiation: Negotiation) throws(Problem) {
        route = match.route
        path = try ItemPath(requested: request.target.extracting(match.path))
        target = Self.target(request.target, match, waits: query["wait"] != nil)
        self.query = query.without("wait")
        self.negotiation = negotiation
    }

    private static func target(_ target: Span<UInt8>, _ match: Route.Match, waits: Bool) -> [UInt8] {
        guard waits else { return Array(copying: target) }
        let query = target.extracting(match.query)
        var parts: [UInt8] = []
        var start = 0
        while start < query.count {
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
            let part = Array(copying: query.extracting(start..<end))
            if !part.isEmpty, !part.starts(with: "wait=".utf8) {
                parts += [parts.isEmpty ? UInt8(ascii: "?") : UInt8(ascii: "&")] + part
            }
            start = end + 1
        }
        return Array(copying: target.extracting(0..<match.path.upperBound)) + parts
    }

    /// Whether an item in one tree surely shows the same as in another: told without rendering anything.
    func showsTheSame(of item: Item, as other: Item) -> Bool {
        switch route {
        case .level: item.hasSameLevel(as: other)
        default: item.hasSameSurroundings(as: other)
        }
    }
}
