import DrilldownClient
import Foundation

/// The URL that the program is called with: a server, and a place in its document.
struct StartAddress: Equatable {
    /// The address of the server, without a slash at its end.
    let server: String
    let place: Place

    /// - Parameter url: the address of a server, a level, a detail, or a page of the web client.
    /// - Throws: `BrowseArguments.Failure` if it is something else.
    init(_ url: String) throws(BrowseArguments.Failure) {
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false
        else {
            throw BrowseArguments.Failure(
                description: "'\(DisplayText(url))' is not the URL of a server; it must be as in http://127.0.0.1:8080."
            )
        }
        guard parts.percentEncodedQuery == nil, parts.fragment == nil else {
            throw BrowseArguments.Failure(
                description: "'\(DisplayText(url))' has a query, which cannot be browsed; leave out all from '?' on.")
        }
        let path = parts.percentEncodedPath
        if let (start, kind) = Self.route(in: path), let item = ItemPath(href: String(path[start...])) {
            server = Self.address(parts, path: path[..<start])
            place = Place(kind, at: item)
            return
        }
        server = Self.address(parts, path: path[...])
        place = Place(.level, at: .root)
    }

    private static let routes = ["levels": Place.Kind.level, "detail": .detail, "browse": .level]

    /// Where the first route begins in a path; what is before it belongs to the server, and what follows are keys of items.
    private static func route(in path: String) -> (start: String.Index, kind: Place.Kind)? {
        for segment in path.split(separator: "/") {
            guard let kind = routes[String(segment)] else { continue }
            return (path.index(before: segment.startIndex), kind)
        }
        return nil
    }

    private static func address(_ parts: URLComponents, path: Substring) -> String {
        var base = parts
        base.percentEncodedPath = String(path)
        var text = base.string ?? ""
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}
