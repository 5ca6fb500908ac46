/// Texts that have broken programs before: reserved in URLs, XML or JSON, or equal in Unicode.
enum OddText {
    /// What XML can carry.
    static let forXML: [String] = [
        "", " ", ".", "..", "...", "~", "~1", "~2", "a", "A", "b", "Twin", "Twin~2", "Twin~3", "Item 4", "a b",
        "a/b", "/", "//", "a%2Fb", "%", "%zz", "a+b", "+", "?", "a?q=1&r=2", "#", "a;b", "a:b", "a\\b", "'", "\"",
        "<&>\"'", "]]>", "<!-- a -->", "&amp;", "\t", "\n", "a\nb", "\r", "a\r\nb", " a ", "null", "true", "-5", "5.0",
        "\u{7F}", "\u{85}", "\u{A0}", "\u{E9}", "e\u{301}", "\u{301}", "\u{C5}", "\u{212B}", "A\u{30A}",
        "\u{1100}\u{1161}",
        "\u{AC00}", "\u{958}", "\u{FB01}", "\u{1C6}", "q\u{307}\u{323}", "\u{200B}", "\u{200F}\u{5D0}", "\u{2028}",
        "\u{2F81A}", "\u{4E00}", "\u{65E5}\u{672C}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F466}",
        "\u{1F1E9}\u{1F1EA}",
        "\u{E000}", "\u{FEFF}a", "\u{FFFD}", "\u{10000}", "\u{10FFFD}", "Title", "Children", "Key", "Value", "CF$UID",
    ]

    /// What only JSON and binary property lists can carry.
    static let beyondXML: [String] = ["\u{0}", "a\u{1}b", "\u{1B}", "\u{1F}", "\u{FFFE}", "\u{FFFF}", "a\u{8}"]

    /// One of them, or several in a row, or a long one.
    static func random(beyondXML isBeyond: Bool, using generator: inout SeededGenerator) -> String {
        if isBeyond, generator.one(in: 12) { return beyondXML[generator.below(beyondXML.count)] }
        var text = forXML[generator.below(forXML.count)]
        if generator.one(in: 3) { text += forXML[generator.below(forXML.count)] }
        if generator.one(in: 60) { text = String(repeating: text, count: 90) }
        return text
    }
}
