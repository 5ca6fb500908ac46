/// The titles from the root to an item, for people to read in sentences.
enum TitlePath {
    private static let mostTitles = 12
    private static let mostCharacters = 80

    /// `/Item 4/Screen G`, or `/` for the root; the middle of a very deep path and the end of a long title are `…`.
    static func text(_ titles: [String]) -> String {
        guard !titles.isEmpty else { return "/" }
        guard titles.count > mostTitles else { return titles.map { "/" + shortened($0) }.joined() }
        let half = mostTitles / 2
        return text(Array(titles.prefix(half))) + "/…" + text(Array(titles.suffix(half)))
    }

    private static func shortened(_ title: String) -> String {
        // The length in bytes is known; that in characters would have to be counted.
        guard title.utf8.count > mostCharacters, title.count > mostCharacters else { return title }
        return title.prefix(mostCharacters) + "…"
    }
}
