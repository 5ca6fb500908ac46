import DrilldownClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request to a service in memory, after parsing.
struct MemoryRequest {
    let method: String
    let target: String
    /// The options in the order of the query, in which a condition may appear several times.
    private let options: [(name: String, value: String)]
    private let header: [String: String]
    private let body: Data?

    init(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        header = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        target = components?.percentEncodedPath ?? ""
        options = (components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    }

    subscript(name: String) -> String? { options.first { $0.name == name }?.value }

    func values(of name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

    var since: String? { self["since"] }
    var wait: Int { self["wait"].flatMap { Int($0) } ?? 0 }
    var ifNoneMatch: String? { tag("If-None-Match") }
    /// Whether the request is the link `follow` of an answer.
    private var isFollowing: Bool { Self.following.allSatisfy { self[$0] != nil } }

    /// The options that a link `follow` replaces.
    private static let following: Set = ["since", "wait", "format"]

    /// The link to get after an answer with a version or a revision.
    func follow(since version: String) -> String {
        link(without: Self.following) + "since=\(PercentEncoding.encode(version))&wait=20&format=json"
    }

    /// The link of the next page.
    func next(after cursor: String) -> String {
        link(without: Self.following.union(["start", "after"])) + "after=\(PercentEncoding.encode(cursor))"
    }

    /// The link of the same request without some options, ready for more options.
    private func link(without names: Set<String>) -> String {
        options.filter { !names.contains($0.name) }.reduce(target + "?") {
            $0 + $1.name + "=" + PercentEncoding.encode($1.value) + "&"
        }
    }

    private func tag(_ name: String) -> String? {
        header[name].map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
    }

    /// The options that cannot be combined with an outline.
    private static let besideOutlines = ["sort", "group", "where", "any", "q", "in", "since"]

    /// Checks that the service knows all options of the query, and that they can be combined.
    ///
    /// - Throws: `Problem` (400) for the first option that is wrong.
    func checkOptions() throws(Problem) {
        let known = Self.following.union(Self.besideOutlines).union([
            "limit", "after", "start", "fields", "depth", "expand",
        ])
        var names: Set<String> = []
        for (name, _) in options {
            guard known.contains(name) else {
                throw .badParameter(name, "A service in memory does not know '\(name)'.")
            }
            guard names.insert(name).inserted || name == "where" || name == "any" else {
                throw .badParameter(name, "The parameter '\(name)' appears more than once; give it once.")
            }
        }
        if names.contains("in"), !names.contains("q") {
            throw .badParameter("in", "'in' applies only to 'q'; add it, or omit 'in'.")
        }
        for (name, _) in options {
            let excluded =
                switch name {
                case "depth", "expand": Self.besideOutlines
                case "q": ["since"]
                case "start": ["after"]
                default: [] as [String]
                }
            let other = options.first { excluded.contains($0.name) && !(isFollowing && $0.name == "since") }
            guard let other = other?.name else { continue }
            throw .badParameter(name, "'\(name)' cannot be combined with '\(other)'; leave one of them out.")
        }
    }

    /// The edits that the request asks for; empty if the request only reads, or if its target is not an item.
    var edits: [Edit] {
        get throws {
            guard method != "GET" else { return [] }
            let value = try FieldValue(json: body ?? Data("null".utf8))
            var step = value.dictionary ?? [:]
            if method == "POST", target == "/edits" {
                return step["edits"]?.list?.compactMap { Edit(step: $0.dictionary ?? [:]) } ?? []
            }
            if method == "POST", target == "/moves" {
                step["move"] = step["from"]
            } else {
                guard let path = ItemPath(href: target) else { return [] }
                step = ["of": .text(path.detailLink), "to": .text(path.levelLink)]
                step["at"] = self["at"].map(FieldValue.text)
                step["section"] = self["section"].flatMap { Int64($0) }.map(FieldValue.integer)
                switch method {
                case "POST": step["insert"] = value
                case "PUT": step["put"] = value
                case "PATCH": step["patch"] = value
                case "DELETE": step["delete"] = .text(path.detailLink)
                default: return []
                }
            }
            step["ifMatch"] = tag("If-Match").map(FieldValue.text)
            return Edit(step: step).map { [$0] } ?? []
        }
    }
}

extension Problem {
    static func badParameter(_ name: String, _ sentence: String) -> Problem {
        Problem(
            .badParameter, title: "Bad parameter", status: 400, detail: sentence,
            members: ["parameter": .text(name)])
    }
}
