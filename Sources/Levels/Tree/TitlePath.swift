internal import PropertyLists

/// The titles from the root to an item, for people to read in sentences.
enum TitlePath {
    private static let mostTitles = 12

    /// `/Item 4/Screen G`, or `/` for the root; the middle of a very deep path and the end of a long title are `…`.
    static func text(_ titles: [String]) -> String { joined(titles.map { QuotedText($0).description }) }

    /// The path without quoting, for texts that a message can contain as they are.
    static func joined(_ steps: [String]) -> String {
        guard !steps.isEmpty else { return "/" }
        guard steps.count > mostTitles else { return steps.map { "/" + $0 }.joined() }
        let half = mostTitles / 2
        return joined(Array(steps.prefix(half))) + "/…" + joined(Array(steps.suffix(half)))
    }
}
