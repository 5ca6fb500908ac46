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
        var kept = Array(copying: target.extracting(0..<match.path.upperBound))
        var index = 0
        var separator = UInt8(ascii: "?")
        target.extracting(match.query).forEachPart(dividedBy: UInt8(ascii: "&")) { part in
            defer { index += 1 }
            guard index != number else { return }
            kept.append(separator)
            kept += Array(copying: part)
            separator = UInt8(ascii: "&")
        }
        return kept
    }

    /// Whether an item in one tree surely shows the same as in another: told without rendering anything.
    func showsTheSame(of item: Item, as other: Item) -> Bool {
        switch route {
        case .level: item.hasSameLevel(as: other)
        default: item.hasSameSurroundings(as: other)
        }
    }
}
