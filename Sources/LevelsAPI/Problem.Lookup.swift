import Levels
import PropertyLists

extension Problem {
    /// 404 for a target without a route.
    static func noSuchRoute(_ target: Span<UInt8>) -> Problem {
        var path = String(utf8: target)
        if let query = path.firstIndex(of: "?") { path = String(path[..<query]) }
        let first = "/" + (path.split(separator: "/").first.map(String.init) ?? "")
        let near = EditDistance.nearest(to: first, among: Route.names).map { "Did you mean '\($0)'?" }
        return Problem(
            .noSuchRoute,
            "Nothing is served at '\(quoted: path)'. \(near ?? "Start with /levels/ and follow the links.")",
            members: [("allowed", .list(Route.names))])
    }

    /// 404 for a path that leads nowhere: what is missing, where, and what was perhaps meant.
    static func noSuchItem(_ wanted: String, below nearest: Item) -> Problem {
        var detail = "There is no '\(quoted: wanted)' in \(nearest.titlePath)."
        let rows = min(nearest.level?.count ?? 0, mostCandidates)
        let candidates = (0..<rows).lazy.compactMap { nearest.level?.key($0) }
        if wanted.utf8.count <= 64,
            let near = EditDistance.nearest(to: wanted, among: candidates.filter { $0.utf8.count <= 96 })
        {
            detail += " Did you mean '\(quoted: near)'?"
        }
        let link = String(utf8: Links(nearest).level)
        return Problem(.noSuchItem, detail, members: [("nearest", .link(link))])
    }

    /// How many siblings are looked at for the nearest key: enough for a person's list, and never slow.
    private static let mostCandidates = 200
}
