import DrilldownClient
import Testing

@testable import drilldown_browse

@Suite("Text on the screen")
struct TextTests {
    @Test(
        "takes as many columns as terminals give it",
        arguments: [
            ("abc", 3), ("", 0), ("Ä", 1), ("A\u{308}", 1), ("漢字", 4), ("ｱ", 1), ("Ａ", 2), ("한글", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{115F}", 2), ("\u{1160}", 0), ("\u{11FF}", 0), ("\u{1200}", 1),
            ("😀", 2), ("👩‍👩‍👧", 2), ("👁‍🗨", 2), ("🇦🇿", 2), ("🇦", 2), ("❤️", 2), ("❤", 1), ("a\u{FE0F}", 1), ("1️⃣", 2),
            ("\u{200B}", 0), ("a\u{20DD}", 1), ("\u{2028}\u{2029}\u{7}", 0), ("नि", 2), ("→", 1), ("\u{AD}", 1),
        ])
    func width(_ text: String, _ columns: Int) { #expect(DisplayWidth.columns(of: text) == columns) }

    @Test(
        "cannot harm the terminal",
        arguments: [
            (" plain~", " plain~"), ("a\u{7F}", "a\\u{7F}"), ("\u{1F}", "\\u{1F}"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"),
            ("a\nb\tc", "a\\u{A}b\\u{9}c"),
            ("a\u{202E}b", "a\\u{202E}b"), ("\u{9B}31m", "\\u{9B}31m"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("\u{FEFF}", "\\u{FEFF}"), ("\u{E0041}", "\\u{E0041}"), ("שלום", "שלום"), ("👩‍👧", "👩‍👧"),
            ("a\r\nb", "a\\u{D}\\u{A}b"),
        ])
    func harmless(_ text: String, _ shown: String) {
        #expect(DisplayText(text).description == shown)
        #expect(StyledText(text: text).text == shown)
    }

    @Test("escapes what controls a terminal, turns the direction of text, or is invisible, and nothing else")
    func escaped() {
        let blocks: [Range<UInt32>] = [0..<0x3000, 0xF000..<0x11000, 0xE0000..<0xE1000, 0x10FFFD..<0x110000]
        let values = blocks.joined().filter { Unicode.Scalar($0).map(DisplayText.isEscaped) == true }
        let expected: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFDD0...0xFDEF,
            0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE007F, 0x10FFFE...0x10FFFF,
        ]
        #expect(values == Array(expected.joined()))
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

    @Test("keeps the styles of its parts where it is clipped")
    func styles() {
        var text = StyledText(text: "ab", style: .bold)
        text.append("cd", style: .dim)
        var expected = StyledText(text: "ab", style: [.bold, .reverse])
        expected.append("…", style: [.dim, .reverse])
        #expect(text.clipped(to: 3).adding(.reverse) == expected)
        #expect(Set([StyledText.Style.bold, .dim, .reverse, [.bold, .dim]]).count == 4)
    }

    @Test("is aligned at both sides, and the right one gives way")
    func aligned() {
        let right = StyledText(text: "3 ›")
        #expect(StyledText(text: "Item").aligned(with: right, columns: 12).text == "Item     3 ›")
        #expect(StyledText(text: "A longer title").aligned(with: right, columns: 12).text == "A longe… 3 ›")
        #expect(StyledText(text: "A longer title").aligned(with: right, columns: 10).text == "A lon… 3 ›")
        #expect(
            [8, 7].map { StyledText(text: "Item").aligned(with: right, columns: $0).text } == ["Item 3 ›", "Item   "])
        #expect(StyledText(text: "A longer title").aligned(with: right, columns: 9).text == "A longer…".prefix(8) + "…")
        #expect(StyledText(text: "Item").aligned(with: StyledText(), columns: 6).text == "Item  ")
    }

    @Test(
        "is wrapped at blanks, and a long word anywhere",
        arguments: [
            ("one two three four", 8, ["one two ", "three ", "four"]), ("abcdefghijk", 7, ["abcdefgh", "ijk"]),
            ("", 8, [""]), ("abcdefghi", 9, ["abcdefghi"]), ("a\n\nb", 8, ["a", "", "b"]), ("漢漢漢漢漢", 8, ["漢漢漢漢", "漢"]),
        ])
    func wrapped(_ text: String, _ columns: Int, _ lines: [String]) {
        #expect(Browser.wrapped(text, columns: columns) == lines)
    }

    @Test("shows the fields of fields below each other")
    func fields() {
        let fields: Fields = [
            "List": ["a", 2], "Empty": [], "Nested": ["x": 1.5, "y": ["z": false]], "Text": "one two three four",
        ]
        #expect(
            FieldLines.lines(of: fields, columns: 20).map(\.text) == [
                "  List", "    1  a", "    2  2", "  Empty  0 values", "  Nested", "    x  1.5", "    y",
                "      z  no",
                "  Text", "    one two three ", "    four",
            ])
        let texts: Fields = [
            "Text": "abcdefghijk", "More": "abcdefghijkl", "Long": "abcdefghijklmno", "Wide": "abcdefghijklmnop",
        ]
        #expect(
            FieldLines.lines(of: texts, columns: 20).map(\.text) == [
                "  Text  abcdefghijk", "  More", "    abcdefghijkl", "  Long", "    abcdefghijklmno", "  Wide",
                "    abcdefghijklmno", "    p",
            ])
        let deep = (0..<20).reduce(FieldValue.text("a")) { value, _ in [value] }
        let lines = FieldLines.lines(of: ["Deep": deep], columns: 80).map(\.text)
        #expect(lines.count == 16 && lines.last == String(repeating: " ", count: 32) + "1  1 value")
        let maps = (0..<20).reduce(FieldValue.text("a")) { value, _ in ["x": value] }
        #expect(FieldLines.lines(of: ["Deep": maps], columns: 80).last?.text.hasSuffix("  x  1 field") == true)
    }

    @Test("shows each kind of value in a few words")
    func values() {
        let values: [FieldValue] = [
            "a", 1, .unsigned(.max), 1.5, true, false, [], [1], [1, 2], [:], ["a": 1], ["a": 1, "b": 2], nil,
        ]
        #expect(
            values.map(FieldLines.short) == [
                "a", "1", "18446744073709551615", "1.5", "yes", "no", "0 values", "1 value", "2 values", "0 fields",
                "1 field", "2 fields", "none",
            ])
    }
}
