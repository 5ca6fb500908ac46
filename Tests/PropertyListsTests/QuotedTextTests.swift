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

    @Test("escapes control characters, line separators, directions and noncharacters, and none of their neighbours")
    func scalars() {
        let escaped: [ClosedRange<UInt32>] = [
            0x0...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFDD0...0xFDEF,
            0xFEFF...0xFEFF,
            0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0x1FFFE...0x1FFFF, 0x10FFFE...0x10FFFF,
        ]
        for range in escaped {
            let near = [range.lowerBound, range.upperBound, range.lowerBound &- 1, range.upperBound + 1]
            for scalar in near.compactMap(Unicode.Scalar.init) {
                let isEscaped = escaped.contains { $0.contains(scalar.value) }
                #expect(QuotedText.isPlain(String(scalar)) == !isEscaped, "\(scalar.value)")
                #expect(
                    (String(scalar) == QuotedText(text: String(scalar)).description) == !isEscaped, "\(scalar.value)")
                #expect(("é\(scalar)" == QuotedText(text: "é\(scalar)").description) == !isEscaped, "\(scalar.value)")
            }
        }
    }

    @Test("counts things in the singular and the plural")
    func quantities() {
        #expect((0...2).map { Quantity(count: $0, noun: "item").description } == ["0 items", "1 item", "2 items"])
    }
}
