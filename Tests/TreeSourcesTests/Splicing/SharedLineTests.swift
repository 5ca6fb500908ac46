import Levels
import Testing

/// Rows that share a line of an XML document.
@Suite("Rows on one line") struct SharedLineTests {
    private static let before = """
        <plist><array>
        \t<string>A</string><string>B</string> <!-- of both -->
        \t<string>C</string> <!-- of C -->
        \t<string>D</string> <string>E</string>
        \t<string>F</string>
        </array></plist>
        """

    @Test(
        "leave the comment behind them if several are deleted together; a single row takes its comment along",
        arguments: [
            (["A", "B"], "\t<string>A</string><string>B</string> <!--", "\t<!--"),
            (["A"], "\t<string>A</string><string>B", "\t<string>B"),
            (["B"], "</string><string>B</string> <!--", "</string> <!--"),
            (["C"], "\t<string>C</string> <!-- of C -->\n", ""),
            (["D", "E"], "\t<string>D</string> <string>E</string>\n", ""),
            (["D"], "<string>D</string> ", ""), (["E"], " <string>E</string>", ""),
            (
                ["B", "C"], "<string>B</string> <!-- of both -->\n\t<string>C</string> <!-- of C -->",
                " <!-- of both -->"
            ),
        ])
    func deleted(_ titles: [String], _ old: String, _ new: String) throws {
        for titles in [titles, titles.reversed()] {
            var document = try EditedText(Self.before)
            try document.apply(titles.map { try .delete("/\($0)") })
            #expect(document.text == Self.before.replacing(old, with: new))
        }
    }
}
