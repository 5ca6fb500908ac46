import Bytes

/// The languages that a request prefers, from `Accept-Language` (RFC 9110, section 12.5.4).
public struct AcceptedLanguages: Sendable {
    private struct Range {
        /// The subtags in lower case; empty for `*`.
        let subtags: [Substring]
        /// The weight, in thousandths.
        let quality: Int
    }

    /// The ranges, in the order of the field.
    private var ranges: [Range] = []

    /// The maximum number of ranges, which is more than any client sends. Further ranges are ignored.
    private static let most = 64

    /// Creates an empty list of preferences.
    public init() {}

    /// Adds the ranges of one line of the field, up to the first malformed range.
    public mutating func read(_ line: Span<UInt8>) {
        _ = line.forEachWeightedToken { token, quality in
            guard ranges.count < Self.most else { return }
            let text = String(decoding: Array(copying: token), as: UTF8.self)
            ranges.append(Range(subtags: text == "*" ? [] : Self.subtags(of: text), quality: quality))
        }
    }

    /// The best of the available languages; nil if no range matches.
    ///
    /// The ranges are tried by weight, the highest weight first. Each range is shortened until it equals an available
    /// language (RFC 4647, section 3.4). If it never does, the range matches a variety of its language in the same
    /// script: `pt` and `pt-AO` find `pt-BR`. A range with a weight of 0 excludes the language with exactly this tag.
    /// `*` is ignored.
    ///
    /// - Parameter tags: the tags of the available languages, the preferred language first.
    public func choice(among tags: [String]) -> String? {
        let available = tags.map { (tag: $0, subtags: Self.subtags(of: $0)) }
            .filter { language in !ranges.contains { $0.quality == 0 && $0.subtags == language.subtags } }
        let wanted = ranges.filter { $0.quality > 0 && !$0.subtags.isEmpty }.enumerated()
            .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
        for (_, range) in wanted {
            let prefixes = Self.prefixes(of: range.subtags)
            for prefix in prefixes {
                if let exact = available.first(where: { $0.subtags[...] == prefix }) { return exact.tag }
            }
            for prefix in prefixes {
                let variety = available.first { language in
                    language.subtags.starts(with: prefix)
                        && Self.haveOneScript(language.subtags, range.subtags)
                }
                if let variety { return variety.tag }
            }
        }
        return nil
    }

    /// A range and its shortened forms, the longest first.
    private static func prefixes(of subtags: [Substring]) -> [ArraySlice<Substring>] {
        var prefixes = [subtags[...]]
        while let last = prefixes.last, last.count > 1 {
            let shorter = shortened(last)
            guard !shorter.isEmpty else { break }
            prefixes.append(shorter)
        }
        return prefixes
    }

    /// The subtags without the last subtag, and without the subtag before that if it is a single letter.
    private static func shortened(_ subtags: ArraySlice<Substring>) -> ArraySlice<Substring> {
        let shorter = subtags.dropLast()
        return shorter.last?.utf8.count == 1 ? shorter.dropLast() : shorter
    }

    /// The subtags in lower case. A tag for Chinese gets the script of its region, because `zh-TW` usually means
    /// `zh-Hant`.
    private static func subtags(of tag: String) -> [Substring] {
        var subtags = tag.lowercased().split { $0 == "-" || $0 == "_" }
        if subtags.count > 1, subtags[0] == "zh", let script = chineseScripts[subtags[1]] {
            subtags.insert(script, at: 1)
        }
        return subtags
    }

    /// The scripts of the regions where Chinese is written (CLDR, likely subtags).
    private static let chineseScripts: [Substring: Substring] = [
        "tw": "hant", "hk": "hant", "mo": "hant", "cn": "hans", "sg": "hans", "my": "hans",
    ]

    /// Whether two languages have the same script; also true if a tag does not name its script.
    private static func haveOneScript(_ one: [Substring], _ other: [Substring]) -> Bool {
        guard let script = script(of: one), let otherScript = self.script(of: other) else { return true }
        return script == otherScript
    }

    /// The script: the first subtag of four letters after the language; nil if the tag does not name a script.
    private static func script(of subtags: [Substring]) -> Substring? {
        subtags.dropFirst().first { $0.utf8.count == 4 && $0.utf8.allSatisfy { $0 > 0x39 } }
    }
}
