import Bytes

/// The languages that a request prefers: the ranges of `Accept-Language` with their weights (RFC 9110, section 12.5.4).
public struct AcceptedLanguages: Sendable {
    private struct Range {
        /// The subtags in lower case; empty for `*`.
        let subtags: [Substring]
        /// In thousandths.
        let quality: Int
    }

    /// In the order of the field.
    private var ranges: [Range] = []

    /// More ranges than any client sends; those after them are ignored.
    private static let most = 64

    /// Nothing is preferred.
    public init() {}

    /// Adds the ranges of one line of the field, up to the first that is malformed.
    public mutating func read(_ line: Span<UInt8>) {
        _ = line.forEachWeightedToken { token, quality in
            guard ranges.count < Self.most else { return }
            let text = String(decoding: Array(copying: token), as: UTF8.self)
            ranges.append(Range(subtags: text == "*" ? [] : Self.subtags(of: text), quality: quality))
        }
    }

    /// The language that fits best; nil if no range matches any, so that a default is due.
    ///
    /// The ranges are tried by their weight. Each is shortened until it is a language (RFC 4647, section 3.4); if none
    /// is, a language that begins with it is taken, so that `pt` finds `pt-BR`. A weight of 0 excludes what it names.
    ///
    /// - Parameter tags: the available language tags, the one to be preferred first.
    public func choice(among tags: [String]) -> String? {
        let available = tags.map { (tag: $0, subtags: Self.subtags(of: $0)) }
            .filter { language in !ranges.contains { $0.quality == 0 && $0.subtags == language.subtags } }
        let wanted = ranges.filter { $0.quality > 0 && !$0.subtags.isEmpty }.enumerated()
            .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
        for (_, range) in wanted {
            var subtags = range.subtags[...]
            while !subtags.isEmpty {
                if let exact = available.first(where: { $0.subtags[...] == subtags }) { return exact.tag }
                subtags = Self.shortened(subtags)
            }
            if let longer = available.first(where: { $0.subtags.starts(with: range.subtags) }) { return longer.tag }
        }
        return nil
    }

    /// The subtags without the last one, and without a single letter that would then be the last.
    private static func shortened(_ subtags: ArraySlice<Substring>) -> ArraySlice<Substring> {
        let shorter = subtags.dropLast()
        return shorter.last?.utf8.count == 1 ? shorter.dropLast() : shorter
    }

    private static func subtags(of tag: String) -> [Substring] { tag.lowercased().split(separator: "-") }
}
