import Bytes
import Levels
import PropertyLists

extension Problem {
    /// 404 for a target without a route.
    static func noSuchRoute(_ target: Span<UInt8>) -> Problem {
        let path = target.extracting(0..<target.index(of: UInt8(ascii: "?")))
        let near = nearestRoute(to: path).map { "Did you mean '\($0)'?" }
        return Problem(
            .noSuchRoute,
            "Nothing is served at '\(quoted: path)'. \(near ?? "Start with /levels/ and follow the links.")",
            members: [("allowed", .list(Endpoint.names))])
    }

    /// The name of the route that was perhaps meant, told by the first segment.
    private static func nearestRoute(to path: Span<UInt8>) -> String? {
        var start = 0
        while start < path.count, path[start] == UInt8(ascii: "/") { start += 1 }
        let rest = path.extracting(start..<path.count)
        let segment = rest.extracting(0..<rest.index(of: UInt8(ascii: "/")))
        guard segment.count <= mostCompared else { return nil }
        return EditDistance.nearest(to: "/" + String(utf8: segment), among: Endpoint.names.filter { $0 != "/" })
    }

    /// 404 for a path that leads nowhere: what is missing, where, and what was perhaps meant.
    static func noSuchItem(_ wanted: String, below nearest: Item) -> Problem {
        var detail = "There is no '\(quoted: wanted)' in \(nearest.titlePath)."
        if wanted.utf8.count <= mostCompared,
            let near = EditDistance.nearest(to: wanted, among: candidates(for: wanted, in: nearest.level))
        {
            detail += " Did you mean '\(quoted: near)'?"
        }
        let link = String(utf8: Links(nearest).level)
        return Problem(.noSuchItem, detail, members: [("nearest", .link(link))])
    }

    /// The keys of a level's first rows that may be what was meant, as many as can be compared in little time.
    private static func candidates(for wanted: String, in level: Level?) -> [String] {
        let length = wanted.utf8.count
        guard let level else { return [] }
        var candidates: [String] = []
        var steps = 0
        for row in 0..<min(level.count, mostCandidates) {
            let count = level.row(row).key.count
            guard count <= 3 * length + 3, length <= 3 * count + 3 else { continue }
            steps += length * count
            if steps > mostSteps { break }
            candidates.append(level.key(row))
        }
        return candidates
    }

    /// How many siblings are looked at for the nearest key: enough for a person's list, and never slow.
    private static let mostCandidates = 200
    /// How long a text may be for something near to be looked for, in bytes.
    private static let mostCompared = 64
    /// How many pairs of bytes are compared: all the candidates there may be, of 18 bytes each.
    private static let mostSteps = 65_536
}
