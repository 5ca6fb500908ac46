import DrilldownClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request to a service in memory, after parsing.
struct MemoryRequest {
    let method: String
    let target: String
    private let options: [String: String]
    private let header: [String: String]
    private let body: Data?

    init(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        header = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        target = components?.percentEncodedPath ?? ""
        options = Dictionary(
            (components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }

    var since: String? { options["since"] }
    var wait: Int { number("wait", else: 0) }
    var start: Int { max(0, number("start", else: 0)) }
    var limit: Int { max(1, number("limit", else: 1_000)) }
    /// The text to search for; nil without a search.
    var search: String? { options["q"].flatMap { $0.isEmpty ? nil : $0 } }
    /// The names of the searched fields; nil for the title.
    var searchedFields: [String]? { options["in"].map { $0.split(separator: ",").map(String.init) } }
    var ifNoneMatch: String? { tag("If-None-Match") }

    /// The options that a link `follow` replaces.
    private static let options: Set = ["since", "wait", "format"]

    /// The link to get after an answer with a version or a revision.
    func follow(since version: String) -> String {
        link(with: [("since", version), ("wait", "20"), ("format", "json")])
    }

    /// The link of another answer, with these options in place of those of the request.
    func link(with others: [(String, String)]) -> String {
        let kept = options.filter { option in
            !Self.options.contains(option.key) && !others.contains { $0.0 == option.key }
        }
        let all = kept.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + others
        return target + "?" + all.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    }

    private func number(_ name: String, else missing: Int) -> Int { options[name].flatMap { Int($0) } ?? missing }

    private func tag(_ name: String) -> String? {
        header[name].map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
    }

    /// Checks that the service knows all options of the query.
    ///
    /// - Throws: `Problem` for the first unknown option, in the order of the names.
    func checkOptions() throws(Problem) {
        let known = Self.options.union(["start", "limit", "fields", "q", "in"])
        guard let name = options.keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw Problem(
            .badParameter, title: "Bad parameter", status: 400, detail: "A service in memory does not know '\(name)'.",
            members: ["parameter": .text(name)])
    }

    /// The edit that the request asks for; nil if the request only reads, or if its target is not an item.
    var edit: Edit? {
        get throws {
            guard method != "GET" else { return nil }
            let value = try FieldValue(json: body ?? Data("null".utf8))
            let fields = value.dictionary ?? [:]
            let version = tag("If-Match").map { ItemVersion(rawValue: $0) }
            if method == "POST", target == "/moves", let from = fields["from"]?.text.flatMap({ ItemPath(href: $0) }),
                let level = fields["to"]?.text.flatMap({ ItemPath(href: $0) })
            {
                return .move(from, into: level, at: Edit.Position(fields["at"]?.description), ifMatch: version)
            }
            guard let path = ItemPath(href: target) else { return nil }
            return switch method {
            case "POST": .insert(value, into: path, at: Edit.Position(options["at"]), ifMatch: version)
            case "PUT": .put(fields, at: path, ifMatch: version)
            case "PATCH": .patch(fields, at: path, ifMatch: version)
            case "DELETE": .delete(path, ifMatch: version)
            default: nil
            }
        }
    }
}
