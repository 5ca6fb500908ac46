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
        target = Self.target(request.target, match, without: query.parameters.firstIndex { $0.name == "wait" })
        self.query = query.without("wait")
        self.negotiation = negotiation
    }

    /// - Parameter number: that of a parameter, however its name is encoded.
    private static func target(_ target: Span<UInt8>, _ match: Route.Match, without number: Int?) -> [UInt8] {
        guard let number else { return Array(copying: target) }
        var parts = Array(copying: target.extracting(match.query)).split(separator: UInt8(ascii: "&"))
        parts.remove(at: number)
        let path = Array(copying: target.extracting(0..<match.path.upperBound))
        return parts.isEmpty ? path : path + "?".utf8 + parts.joined(separator: "&".utf8)
    }

    /// Whether an item in one tree surely shows the same as in another: told without rendering anything.
    func showsTheSame(of item: Item, as other: Item) -> Bool {
        switch route {
        case .level: item.hasSameLevel(as: other)
        default: item.hasSameSurroundings(as: other)
        }
    }
}
