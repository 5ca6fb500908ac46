import Levels
import PropertyLists

/// What a target names. This is the table of all routes: readers start here.
enum Route {
    /// `GET /`: what is served, and where to begin.
    case index
    /// `GET /levels/<path>`: the rows of one level.
    case level
    /// `GET /detail/<path>`: the fields of one item.
    case detail
    /// `GET /document/<path>`: an item with all below it.
    case document
    /// `GET /changes`: what has changed since a revision.
    case changes
    /// `GET /healthz`: alive.
    case health
    /// `GET /readyz`: ready, and how fresh the tree is.
    case readiness
    /// `GET /problems/<name>`: what a kind of problem means.
    case problem

    /// Names, routes, and whether a path follows.
    private static let table: [(name: StaticString, route: Route, takesPath: Bool)] = [
        ("/", .index, false),
        ("/levels", .level, true),
        ("/detail", .detail, true),
        ("/document", .document, true),
        ("/problems", .problem, true),
        ("/changes", .changes, false),
        ("/healthz", .health, false),
        ("/readyz", .readiness, false),
    ]

    /// All names, for telling what there is.
    static var names: [String] { table.map { String(describing: $0.name) } }

    /// A target taken apart: its route, and where the path behind the route's name and the query lie.
    struct Match {
        let route: Route
        let path: Range<Int>
        let query: Range<Int>
    }

    /// Finds the route of a target; nil where there is none.
    static func match(_ target: Span<UInt8>) -> Match? {
        var end = 0
        while end < target.count, target[end] != UInt8(ascii: "?") { end += 1 }
        let query = min(end + 1, target.count)..<target.count
        for (name, route, takesPath) in table {
            let length = name.utf8CodeUnitCount
            guard end >= length, name.withUTF8Buffer({ unsafe target.extracting(0..<length).isEqual(to: $0.span) })
            else { continue }
            guard end == length || target[length] == UInt8(ascii: "/") else { continue }
            guard takesPath || end <= length + 1 else { continue }
            // A slash behind a name is ignored; the index has none but its own.
            guard length > 1 || end == length else { continue }
            return Match(route: route, path: length..<end, query: query)
        }
        return nil
    }
}
