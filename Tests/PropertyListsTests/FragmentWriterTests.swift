import Bytes
import PropertyLists
import Testing

@Suite("A value within a document") struct FragmentWriterTests {
    private static let tree: Tree = [
        "a": [1, .real(0.5), "x\ny<", true, .uid(7), .date(0)], "b": [[], .dictionary([])], "c": .data(Array(0..<58)),
        "d": ["e": .data([1]), "f": ""],
    ]

    private func written(_ syntax: FragmentWriter.Syntax, _ style: FragmentStyle) throws -> String {
        var writer = FragmentWriter(syntax: syntax, style: style)
        try Self.tree.tell(&writer)
        return String(utf8: writer.output.span)
    }

    private func style(
        indent: String?, unit: String = "", lineBreak: String = "\n", colon: String = ":"
    ) -> FragmentStyle {
        FragmentStyle(
            indent: indent.map { Array($0.utf8) }, unit: Array(unit.utf8), lineBreak: Array(lineBreak.utf8),
            colon: Array(colon.utf8))
    }

    @Test("has the indentation and the line ends of the document in XML")
    func xml() throws {
        let text = try written(.xml, style(indent: "  ", unit: "\t", lineBreak: "\r\n"))
        #expect(
            text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init) == [
                "<dict>", "  \t<key>a</key>", "  \t<array>", "  \t\t<integer>1</integer>", "  \t\t<real>0.5</real>",
                "  \t\t<string>x", "y&lt;</string>", "  \t\t<true/>", "  \t\t<dict>", "  \t\t\t<key>CF$UID</key>",
                "  \t\t\t<integer>7</integer>", "  \t\t</dict>", "  \t\t<date>2001-01-01T00:00:00Z</date>",
                "  \t</array>",
                "  \t<key>b</key>", "  \t<array>", "  \t\t<array/>", "  \t\t<dict/>", "  \t</array>",
                "  \t<key>c</key>",
                "  \t<data>", "  \tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4",
                "  \tOQ==",
                "  \t</data>", "  \t<key>d</key>", "  \t<dict>", "  \t\t<key>e</key>", "  \t\t<data>AQ==</data>",
                "  \t\t<key>f</key>",
                "  \t\t<string></string>", "  \t</dict>", "  </dict>",
            ])
    }

    @Test("is on one line in XML if the document is")
    func lineOfXML() throws {
        let data = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OQ=="
        #expect(
            try written(.xml, style(indent: nil))
                == "<dict><key>a</key><array><integer>1</integer><real>0.5</real><string>x\ny&lt;</string><true/>"
                + "<dict><key>CF$UID</key><integer>7</integer></dict><date>2001-01-01T00:00:00Z</date></array>"
                + "<key>b</key><array><array/><dict/></array><key>c</key><data>\(data)</data>"
                + "<key>d</key><dict><key>e</key><data>AQ==</data><key>f</key><string></string></dict></dict>")
    }

    @Test("has the separators of the document in JSON", arguments: [(":", ","), (": ", ", "), (" :", ",")])
    func lineOfJSON(colon: String, comma: String) throws {
        let data = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OQ=="
        let text =
            #"{"a":[1,0.5,"x\ny<",true,{"CF$UID":7},"2001-01-01T00;00;00Z"],"b":[[],{}],"c":"\#(data)","d":{"e":"AQ==","f":""}}"#
        #expect(
            try written(.json, style(indent: nil, colon: colon))
                == text.replacing(":", with: colon).replacing(",", with: comma).replacing(";", with: ":"))
    }

    @Test("has the indentation of the document in JSON")
    func json() throws {
        var writer = FragmentWriter(syntax: .json, style: style(indent: " ", unit: "  ", colon: ": "))
        try (["a": [1, []], "b": .dictionary([])] as Tree).tell(&writer)
        #expect(String(utf8: writer.output.span) == "{\n   \"a\": [\n     1,\n     []\n   ],\n   \"b\": {}\n }")
        #expect(throws: PropertyListError(reason: "the end of a container has no matching beginning")) {
            try writer.endArray()
        }
    }
}
