import Bytes
import Levels
import PropertyLists

/// The options of a request that links in its answer repeat, in a fixed order: requests that differ only in the order or
/// the encoding of their options get the same links.
struct LinkedOptions: Sendable {
    private let parameters: [Query.Parameter]
    private let options: QueryOptions

    init(_ query: Query) {
        options = query.options
        parameters = query.parameters.sorted { one, other in
            (one.number ?? 0, one.value) < (other.number ?? 0, other.value)
        }
    }

    /// Appends the options that a kind of link repeats, each with a `&` behind it.
    ///
    /// - Parameter limit: replaces the value of `limit`; nil to keep that value.
    func append(for link: QueryOption.Link, limit: Int? = nil, to target: inout ByteBuffer) {
        if let limit { target.append("\(QueryOption.limit.name)=\(limit)&") }
        for parameter in parameters {
            guard let number = parameter.number, options.all[number].links.contains(link),
                limit == nil || parameter.name != QueryOption.limit.name
            else { continue }
            target.append(parameter.name)
            target.append(UInt8(ascii: "="))
            PercentEncoding.append(parameter.value.utf8Span.span, to: &target)
            target.append(UInt8(ascii: "&"))
        }
    }
}

/// The link of the request that follows an answer: it is answered when the answer is no longer current (manual,
/// Refresh).
struct FollowLink: Sendable {
    let options: LinkedOptions
    /// The format of the answer, which the link names.
    let format: Format
    /// The second in which the answer is made; nil if the answer is not itself an answer to `since` and `wait`.
    var turn: Int?

    /// The seconds for which the request waits. Many proxies give up after 30 seconds.
    private static let wait = 20

    /// The link as text.
    ///
    /// - Parameters:
    ///   - path: the path of the link, percent-encoded.
    ///   - version: the version of the answer, or its revision.
    func text(_ path: Span<UInt8>, since version: String) -> String {
        var link = ByteBuffer(capacity: 256)
        link.append(path)
        link.append(UInt8(ascii: "?"))
        options.append(for: .follow, to: &link)
        link.append("since=")
        PercentEncoding.append(version.utf8Span.span, to: &link)
        link.append("&wait=\(Self.wait)&format=\(format)")
        if let turn { link.append("&turn=\(turn)") }
        return String(utf8: link.span)
    }

    /// A hash of what is followed: the path, the options without `since` and `turn`, and the wait. It is the same on
    /// every server.
    func hash(_ path: String, wait: Wait) -> UInt64 {
        var text = ByteBuffer(capacity: 256)
        text.append("\(path)?")
        options.append(for: .follow, to: &text)
        text.append("wait=\(wait.seconds)&format=\(format.rawValue)")
        return ContentHash.short(of: text.span)
    }

    /// Whether a target has the options of such a link. Its answer depends on the target alone.
    static func isTarget(_ target: String) -> Bool {
        guard let query = target.split(separator: "?", maxSplits: 1).dropFirst().first else { return false }
        let parts = query.split(separator: "&")
        return ["since=", "wait=", "format="].allSatisfy { name in parts.contains { $0.hasPrefix(name) } }
    }
}
