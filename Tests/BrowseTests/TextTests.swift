import Testing

@testable import drilldown_browse

@Suite("Text on the screen")
struct TextTests {
    @Test(
        "takes as many columns as terminals give it",
        arguments: [
            ("abc", 3), ("", 0), ("Ä", 1), ("A\u{308}", 1), ("漢字", 4), ("ｱ", 1), ("Ａ", 2), ("한글", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("😀", 2), ("👩‍👩‍👧", 2), ("🇨🇭", 2), ("❤️", 2), ("❤", 1), ("\u{200B}", 0), ("नि", 2), ("→", 1), ("\u{AD}", 1),
        ])
    func width(_ text: String, _ columns: Int) { #expect(DisplayWidth.columns(of: text) == columns) }

    @Test(
        "cannot harm the terminal",
        arguments: [
            ("plain", "plain"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"), ("a\nb\tc", "a\\u{A}b\\u{9}c"),
            ("a\u{202E}b", "a\\u{202E}b"), ("\u{9B}31m", "\\u{9B}31m"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("\u{FEFF}", "\\u{FEFF}"), ("\u{E0041}", "\\u{E0041}"), ("שלום", "שלום"), ("👩‍👧", "👩‍👧"),
            ("a\r\nb", "a\\u{D}\\u{A}b"),
        ])
    func harmless(_ text: String, _ shown: String) {
        #expect(DisplayText(text).description == shown)
        #expect(StyledText(text: text).text == shown)
    }

    @Test("keeps at most eight marks on a character")
    func marks() {
        let text = "e" + String(repeating: "\u{301}", count: 1_000) + "f"
        #expect(DisplayText(text).description == "e" + String(repeating: "\u{301}", count: 8) + "f")
    }

    @Test(
        "is clipped with an ellipsis, never within a character",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("漢字漢", 6, "漢字漢"), ("漢字漢", 5, "漢字…"),
            ("漢字漢", 4, "漢…"), ("abc", 1, "…"), ("abc", 0, ""),
        ])
    func clipped(_ text: String, _ columns: Int, _ shown: String) {
        let clipped = StyledText(text: text).clipped(to: columns)
        #expect(clipped.text == shown)
        #expect(clipped.columns <= columns)
    }

    @Test("is aligned at both sides, and the right one gives way")
    func aligned() {
        let right = StyledText(text: "3 ›")
        #expect(StyledText(text: "Item").aligned(with: right, columns: 12).text == "Item     3 ›")
        #expect(StyledText(text: "A longer title").aligned(with: right, columns: 12).text == "A longe… 3 ›")
        #expect(StyledText(text: "A longer title").aligned(with: right, columns: 9).text == "A longer…".prefix(8) + "…")
        #expect(StyledText(text: "Item").aligned(with: StyledText(), columns: 6).text == "Item  ")
    }

    @Test(
        "is wrapped at blanks, and a long word anywhere",
        arguments: [
            ("one two three", 8, ["one two ", "three"]), ("abcdefghijk", 8, ["abcdefgh", "ijk"]), ("", 8, [""]),
            ("a\nb", 8, ["a", "b"]), ("漢漢漢漢漢", 8, ["漢漢漢漢", "漢"]),
        ])
    func wrapped(_ text: String, _ columns: Int, _ lines: [String]) {
        #expect(Browser.wrapped(text, columns: columns) == lines)
    }
}
