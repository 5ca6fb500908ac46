import PropertyLists
import Testing

@Suite("A text in a message")
struct QuotedTextTests {
    @Test(
        "is shown as it is where it does no harm",
        arguments: [
            "", "Screen G", "a'b\"c\\d", "Äé東 — „x“…", "e\u{301}", "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿", "שלום \u{200F}!", "क्षि",
            String(repeating: "é", count: 80),
            String(repeating: "👩‍👩‍👧‍👦", count: 80),
        ])
    func plain(_ text: String) {
        #expect(QuotedText(text: text).description == text)
        #expect(QuotedText(utf8: text.utf8Span.span).description == text)
        #expect("'\(quoted: text)'" == "'\(text)'")
        #expect(QuotedText.isPlain(text))
    }

    @Test(
        "is shown with what controls a terminal, a line or the direction of writing escaped",
        arguments: [
            ("a\u{1B}[2J", #"a\u{1B}[2J"#), ("\u{0}\t\r\n", #"\u{0}\u{9}\u{D}\u{A}"#),
            ("\u{7F}\u{9B}", #"\u{7F}\u{9B}"#),
            ("a\u{85}b\u{2028}c\u{2029}d", #"a\u{85}b\u{2028}c\u{2029}d"#),
            ("\u{202E}gpj.exe", #"\u{202E}gpj.exe"#), ("\u{2066}x\u{2069}", #"\u{2066}x\u{2069}"#),
            ("\u{FEFF}\u{FFFE}\u{1FFFF}", #"\u{FEFF}\u{FFFE}\u{1FFFF}"#),
        ])
    func escaped(text: String, shown: String) {
        #expect(QuotedText(text: text).description == shown)
        #expect(QuotedText(utf8: text.utf8Span.span).description == shown)
        #expect("in \(path: text)" == "in \(shown)")
        #expect(!QuotedText.isPlain(text))
    }

    @Test(
        "is cut after eighty characters",
        arguments: [
            (String(repeating: "a", count: 81), String(repeating: "a", count: 80) + "…"),
            (String(repeating: "é", count: 100_000), String(repeating: "é", count: 80) + "…"),
            (String(repeating: "\u{7}", count: 81), String(repeating: #"\u{7}"#, count: 80) + "…"),
            (String(repeating: "👩‍👩‍👧‍👦", count: 81), String(repeating: "👩‍👩‍👧‍👦", count: 80) + "…"),
            ("a" + String(repeating: "\u{301}", count: 100_000), "a" + String(repeating: "\u{301}", count: 639) + "…"),
        ])
    func cut(text: String, shown: String) {
        #expect(QuotedText(text: text).description == shown)
        #expect(QuotedText(utf8: text.utf8Span.span).description == shown)
    }

    @Test("is shown whole where it is a path, up to the longest that there can be")
    func path() {
        let path = "/" + String(repeating: "a", count: 4_095)
        #expect("\(path: path)" == path)
        #expect("\(path: path + "b")" == path + "…")
    }
}
