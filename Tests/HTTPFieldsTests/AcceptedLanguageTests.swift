import HTTPFields
import Testing

/// The choice of a language (RFC 9110, section 12.5.4, and RFC 4647, section 3.4).
@Suite("Accepted languages") struct AcceptedLanguageTests {
    @Test(
        "choose the language that fits best",
        arguments: [
            ("de", "en de", "de"), ("DE", "en de", "de"), ("de-CH", "en de", "de"), ("de-ch", "de de-CH", "de-CH"),
            ("zh-Hant-CN-x-private1", "zh zh-Hant", "zh-Hant"), ("zh-x-a", "x zh", "zh"),
            ("fr;q=0.2, de;q=0.9, en;q=0.5", "en fr de", "de"), ("fr, en", "en fr", "fr"),
            ("en;q=0.5, de;q=0.5", "de en", "en"), ("pt", "en pt-BR", "pt-BR"),
            ("pt-AO", "en pt", "pt"), ("pt-AO", "en pt-BR pt-PT", "pt-BR"), ("pt-AO, en", "en pt-PT", "pt-PT"),
            ("de, en;q=0.5", "en", "en"), ("sv", "en de", "-"), ("", "en", "-"), ("*", "en", "-"),
            ("*, de;q=0.1", "en de", "de"), ("en;q=0", "en", "-"), ("en, en;q=0", "en de", "-"),
            ("de;q=0.0, en", "de en", "en"), ("de;q=2, en", "de en", "-"), ("en, de;;", "de en", "en"),
            ("d\u{E9}, en", "en", "-"), ("aa-b-c-d-e-f-g-h", "aa", "aa"), ("en;q=0", "en-GB", "-"),
            ("de-CH", "de-CH-1996 de", "de"), ("de-1996", "de-Latn", "de-Latn"), ("i-klingon", "en", "-"),
        ])
    func choice(_ line: String, _ available: String, _ expected: String) {
        var accepted = AcceptedLanguages()
        accepted.read(line.utf8Span.span)
        #expect(accepted.choice(among: available.split(separator: " ").map(String.init)) ?? "-" == expected)
    }

    @Test(
        "in Chinese are found by their scripts, which regions imply",
        arguments: [
            ("zh-TW", "en zh-Hans zh-Hant", "zh-Hant"), ("zh-HK", "en zh-Hans zh-Hant", "zh-Hant"),
            ("zh-CN", "en zh-Hans zh-Hant", "zh-Hans"), ("zh-SG", "en zh-Hant zh-Hans", "zh-Hans"),
            ("zh_TW", "zh-Hans zh-Hant", "zh-Hant"), ("zh-Hant", "zh-CN zh-TW", "zh-TW"),
            ("zh-Hant-HK", "zh-CN zh-TW", "zh-TW"), ("zh-HK", "zh-CN zh-TW zh-HK", "zh-HK"),
            ("zh-MO", "zh-TW zh-Hant-HK", "zh-TW"), ("zh-TW", "en zh-Hans", "-"), ("zh-CN, en", "en zh-Hant", "en"),
            ("zh-MY", "zh-Hant zh-Hans", "zh-Hans"), ("zh-TW", "zh", "zh"), ("zh", "en zh-CN", "zh-CN"),
            ("zh-TW;q=0, zh", "zh-Hant-TW zh-Hans", "zh-Hans"),
        ])
    func chinese(_ line: String, _ available: String, _ expected: String) { choice(line, available, expected) }

    @Test("are the elements of all lines, in their order, up to a limit")
    func lines() {
        var accepted = AcceptedLanguages()
        accepted.read("fr".utf8Span.span)
        accepted.read("de;q=0.5, en".utf8Span.span)
        #expect(accepted.choice(among: ["de", "en"]) == "en")
        var many = AcceptedLanguages()
        many.read((0..<10_000).map { "a\($0)" }.joined(separator: ",").utf8Span.span)
        #expect(many.choice(among: ["a9999", "a63"]) == "a63")
        #expect(many.choice(among: ["a9999", "a64"]) == nil)
    }
}
