/// A response that is not a document, recognized by its first bytes: an HTML page, or another drilldown resource.
enum MistakenAnswer: CaseIterable {
    case page, level, detail, changes, state, index

    /// - Parameter head: the first bytes of a response that was refused.
    /// - Returns: nil if it is neither.
    init?(head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        guard let found = Self.allCases.first(where: { $0.isFound(in: text) }) else { return nil }
        self = found
    }

    private func isFound(in text: String) -> Bool {
        switch self {
        case .page:
            let begin = text.drop(while: \.isWhitespace).prefix(14).lowercased()
            return begin.hasPrefix("<html") || begin == "<!doctype html"
        case .level, .detail, .changes, .state, .index:
            return text.hasPrefix("{") && marks.allSatisfy(text.contains)
        }
    }

    /// Texts that only this response contains near its beginning.
    private var marks: [String] {
        switch self {
        case .page: []
        case .level: [#""href":"/levels/"#, #""detail":"/detail/"#, #""version":""#]
        case .detail: [#""href":"/detail/"#, #""level":"/levels/"#, #""version":""#]
        case .changes: [#""revision":""#, #""since":""#, #""changes":["#]
        case .state: [#""status":""#, #""revision":""#, #""loadedAt":""#]
        case .index: [#""levels":"/levels/""#, #""document":"/document""#]
        }
    }

    private var words: String {
        switch self {
        case .page: "an HTML page"
        case .level: "one level of a drilldown server's document"
        case .detail: "the detail of one item of a drilldown server's document"
        case .changes: "a drilldown server's list of changes"
        case .state: "the status of a drilldown server"
        case .index: "the index of a drilldown server"
        }
    }

    /// Why it is refused, and which URL to use instead of `url`, which returned it.
    func reason(at url: String) -> String {
        let advice = self == .page ? "the URL of the property list itself" : Self.documentURL(beside: url)
        return "the response is \(words), not a property list; use \(advice)"
    }

    /// The URL of the document, or of the item with everything below it, whose level or detail is at `url`.
    private static func documentURL(beside url: String) -> String {
        let place = url.prefix { $0 != "?" }
        for name in ["/levels", "/detail"] {
            guard let route = place.ranges(of: name).last(where: { "/".contains(place[$0.upperBound...].prefix(1)) })
            else { continue }
            let path = place[route.upperBound...]
            return place[..<route.lowerBound] + "/document" + (path == "/" ? "" : path)
        }
        return place[..<(place.lastIndex(of: "/") ?? place.endIndex)] + "/document"
    }
}
