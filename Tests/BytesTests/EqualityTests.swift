import Bytes
import Testing

/// Comparing runs of bytes.
@Suite struct EqualityTests {
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        one.utf8Span.span.isEqual(to: other.utf8Span.span)
    }

    private static func isEqual(_ text: String, ignoringCase lowercased: StaticString) -> Bool {
        text.utf8Span.span.isEqual(ignoringCase: lowercased)
    }

    @Test(
        "Bytes are equal if all of them are the same",
        arguments: [
            ("", "", true), ("a", "a", true), ("a", "A", false), ("ab", "a", false), ("a", "ab", false),
            ("é", "é", true), ("e\u{301}", "é", false), ("a\u{0}b", "a\u{0}b", true), ("abc", "abd", false),
        ])
    func equal(_ one: String, _ other: String, _ isEqual: Bool) {
        #expect(Self.areEqual(one, other) == isEqual)
    }

    @Test(
        "A comparison that ignores case ignores that of ASCII letters only",
        arguments: [
            ("wait", true), ("WAIT", true), ("wAiT", true), ("wai", false), ("waits", false), ("", false),
            ("wa\u{9}t", false), ("w\u{41}\u{49}T", true), ("wa\u{131}t", false), ("7ait", false),
        ])
    func ignoringCase(_ text: String, _ isEqual: Bool) {
        #expect(Self.isEqual(text, ignoringCase: "wait") == isEqual)
    }

    @Test("Bytes that differ from a letter or sign by the bit of the case only are not equal")
    func signs() {
        for (text, sign) in [("\u{1F}", "?"), ("\u{0A}", "*"), ("\u{0F}", "/"), ("@", "`"), ("[", "{")] {
            #expect(!Self.areEqual(text, sign))
        }
        #expect(!Self.isEqual("@", ignoringCase: "`"))
        #expect(!Self.isEqual("[", ignoringCase: "{"))
        #expect(!Self.isEqual("\u{0A}/*", ignoringCase: "*/*"))
        #expect(Self.isEqual("*/*", ignoringCase: "*/*"))
    }

    @Test("A literal is compared byte for byte, at its full length")
    func literal() {
        for (text, isEqual) in [("GET", true), ("get", false), ("GE", false), ("GETS", false), ("", false)] {
            #expect(text.utf8Span.span.isEqual(to: "GET" as StaticString) == isEqual)
        }
    }

    @Test("A beginning is compared without regard to case")
    func beginning() {
        for (text, begins) in [("HTTP://a", true), ("http://", true), ("http:/", false), ("https://", false)] {
            #expect(text.utf8Span.span.begins(ignoringCase: "http://") == begins)
        }
    }
}
