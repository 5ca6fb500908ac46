import Bytes
import Levels
import PropertyLists

extension ItemPath {
    /// The path in a target.
    ///
    /// - Throws: `Problem` (400) for a segment that is not percent-encoded UTF-8.
    init(requested text: Span<UInt8>) throws(Problem) {
        do {
            self = try ItemPath(text.extracting(0..<Self.end(in: text)))
        } catch {
            throw Problem(.badPath, "The path segment '\(quoted: error.segment)' is not percent-encoded UTF-8.")
        }
    }

    /// The end of the last segment that is read; no item is deeper, so the rest cannot matter.
    private static func end(in text: Span<UInt8>) -> Int {
        var slashes = 0
        for index in text.indices where text[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes > deepest { return index }
        }
        return text.count
    }

    /// More segments than the path of any item: levels nest at most 512 deep (`TreeLimits`).
    private static let deepest = 1_024
}

extension Item {
    /// The item at a path.
    ///
    /// - Throws: `Problem` (404) if there is none.
    init(at path: ItemPath, in document: Level) throws(Problem) {
        switch Item.find(path, in: document) {
        case .found(let item): self = item
        case .missing(let nearest, let number): throw .noSuchItem(path.key(number), below: nearest)
        }
    }
}

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

    /// The name of the route that was probably meant, judging by the first segment.
    private static func nearestRoute(to path: Span<UInt8>) -> String? {
        var start = 0
        while start < path.count, path[start] == UInt8(ascii: "/") { start += 1 }
        let rest = path.extracting(start..<path.count)
        let segment = rest.extracting(0..<rest.index(of: UInt8(ascii: "/")))
        guard segment.count <= mostCompared else { return nil }
        return EditDistance.nearest(to: "/" + String(utf8: segment), among: Endpoint.names.filter { $0 != "/" })
    }

    /// 404 for a path without an item: what is missing, where, and what was probably meant.
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

    /// The keys of a level's first rows that may have been meant, as many as can be compared quickly.
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

    /// The maximum number of siblings that are compared: enough for a list made by a person, and never slow.
    private static let mostCandidates = 200
    /// The maximum length of a text that is compared, in bytes.
    private static let mostCompared = 64
    /// The maximum number of byte pairs that are compared: 200 candidates of 18 bytes each.
    private static let mostSteps = 65_536
}
