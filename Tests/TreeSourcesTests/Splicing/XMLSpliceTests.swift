import Levels
import Testing

/// What becomes of an XML document: whole texts, before and after.
struct XMLSpliceTests {
    private static let before = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"> <!-- by hand -->
        <dict>
        \t<key>Rows</key>
        \t<array>
        \t\t<!-- the first -->
        \t\t<string>A &amp; B</string> <!-- beside -->

        \t\t<dict a="1">
        \t\t\t<key>Title</key>  <string>C</string>
        \t\t\t<key>Note</key>
        \t\t\t<string>n<![CDATA[<x>]]></string> <!-- kept -->
        \t\t\t<key>Children</key>
        \t\t\t<array/>
        \t\t</dict>
        \t\t<string>D</string><string>E</string>
        \t</array>
        </dict>
        </plist>

        """

    /// Each with the part of the text that changes and what stands there afterwards.
    // Computed, because the leak sanitizer does not see the references of a stored table of edits.
    static var cases: [(name: String, edits: [Edit], old: String, new: String)] {
        do {
            return try [
                (
                    "a new first row", [.insert(#""N""#, "/", .first)],
                    "\t\t<!-- the first -->", "\t\t<string>N</string>\n\t\t<!-- the first -->"
                ),
                (
                    "a new row behind a comment", [.insert(#""N<""#, "/", .after("A & B"))],
                    "<!-- beside -->\n", "<!-- beside -->\n\t\t<string>N&lt;</string>\n"
                ),
                (
                    "a new dictionary", [.insert(#"{"Title":"N","R":1.0,"L":[true]}"#, "/", .after("C"))],
                    "\t\t</dict>\n\t\t<string>D",
                    "\t\t</dict>\n\t\t<dict>\n\t\t\t<key>Title</key>\n\t\t\t<string>N</string>\n\t\t\t<key>R</key>\n"
                        + "\t\t\t<real>1.0</real>\n\t\t\t<key>L</key>\n\t\t\t<array>\n\t\t\t\t<true/>\n\t\t\t</array>\n\t\t</dict>\n\t\t<string>D"
                ),
                (
                    "a new row between two of one line", [.insert(#""N""#, "/", .before("E"))],
                    "<string>E</string>", "<string>N</string><string>E</string>"
                ),
                (
                    "a row gone with its comment", [.delete("/A%20&%20B")],
                    "\t\t<string>A &amp; B</string> <!-- beside -->\n", ""
                ),
                ("the first of two on a line gone", [.delete("/D")], "<string>D</string>", ""),
                (
                    "rows for an empty array", [.insert(#""x""#, "/C"), .insert(#""y""#, "/C")],
                    "\t\t\t<array/>",
                    "\t\t\t<array>\n\t\t\t\t<string>x</string>\n\t\t\t\t<string>y</string>\n\t\t\t</array>"
                ),
                (
                    "a text that becomes a dictionary", [.patch(#"{"X":"1"}"#, "/E")], "<string>E</string>",
                    "<dict><key>Title</key><string>E</string><key>X</key><string>1</string></dict>"
                ),
                (
                    "a field changed", [.patch(#"{"Title":"c\r"}"#, "/C")],
                    "  <string>C</string>", "  <string>c&#13;</string>"
                ),
                (
                    "a field gone, its comment kept", [.patch(#"{"Note":null}"#, "/C")],
                    "<key>Note</key>\n\t\t\t<string>n<![CDATA[<x>]]></string> <!-- kept -->", "<!-- kept -->"
                ),
                (
                    "a new field", [.patch(#"{"Tag":7}"#, "/C")],
                    "\t\t\t<key>Children</key>\n",
                    "\t\t\t<key>Tag</key>\n\t\t\t<integer>7</integer>\n\t\t\t<key>Children</key>\n"
                ),
                (
                    "a row moved with the comment beside it", [.move("/A%20&%20B", below: "/C")],
                    "\t\t<string>A &amp; B</string> <!-- beside -->\n\n", "\n"
                ),
            ]
        } catch {
            Issue.record(error)
            return []
        }
    }

    /// The layout of the document: its unit of indentation, its line ends, and the text before it.
    private static let layouts: [(unit: String, lineBreak: String, mark: String)] = [
        ("\t", "\n", ""), ("  ", "\n", ""), ("    ", "\n", ""), ("", "\n", ""), ("\t", "\r\n", ""), ("\t", "\r", ""),
        ("\t", "\n", "\u{FEFF}"),
    ]

    @Test("an edit changes the text of its item alone", arguments: cases.indices)
    func edit(_ number: Int) throws {
        let (name, edits, old, new) = Self.cases[number]
        for layout in Self.layouts {
            func like(_ text: String) -> String {
                text.replacing("\t", with: layout.unit).replacing("\n", with: layout.lineBreak)
            }
            let variant = layout.mark + like(Self.before)
            var edited = try EditedText(variant)
            try edited.apply(edits)
            guard name != "a row moved with the comment beside it" else {
                #expect(
                    edited.text.contains(
                        like("<array>\n\t\t\t\t<string>A &amp; B</string> <!-- beside -->\n\t\t\t</array>")))
                continue
            }
            // The last place, because some texts occur twice.
            let range = try #require(variant.ranges(of: like(old)).last)
            var expected = variant
            expected.replaceSubrange(range, with: like(new))
            #expect(edited.text == expected, "\(name), \(layout)")
        }
    }

    @Test(
        "a new container is on one line if its neighbour is, and has a line for each value if the empty one begins a line"
    )
    func layoutOfContainers() throws {
        let start = "<plist>\n<array>\n\t<dict><key>Title</key><string>A</string></dict>\n"
        for (before, edit, after) in try [
            (
                start, Edit.insert(#"{"Title":"N","x":[1]}"#, "/"),
                start
                    + "\t<dict><key>Title</key><string>N</string><key>x</key><array><integer>1</integer></array></dict>\n"
            ),
            (
                "<plist>\n<array>\n\t<dict>\n\t\t<key>Title</key>\n\t\t<string>A</string>\n\t\t<key>F</key>\n\t\t<dict/>\n\t</dict>\n",
                .patch(#"{"F":{"a":1,"b":[2]}}"#, "/A"),
                "<plist>\n<array>\n\t<dict>\n\t\t<key>Title</key>\n\t\t<string>A</string>\n\t\t<key>F</key>\n\t\t<dict>\n"
                    + "\t\t\t<key>a</key>\n\t\t\t<integer>1</integer>\n\t\t\t<key>b</key>\n\t\t\t<array>\n\t\t\t\t<integer>2</integer>\n"
                    + "\t\t\t</array>\n\t\t</dict>\n\t</dict>\n"
            ),
        ] {
            let end = "</array>\n</plist>\n"
            var edited = try EditedText(before + end)
            try edited.apply([edit])
            #expect(edited.text == after + end)
        }
    }

    @Test(
        "an item that is moved keeps the lines within its comments and instructions, and the others are indented anew")
    func movedComments() throws {
        let row =
            "\t<dict>\n\t\t<key>Title</key>\n\t\t<string>A</string>\n\t\t<!--> x\n\t\ty --><!-- z\n-->\n\t\t<?p\n\t\tq?><??>\n"
            + "\t\t<key>k</key>\n\t\t<true/>\n\t</dict>\n"
        let other =
            "\t<dict>\n\t\t<key>Title</key>\n\t\t<string>B</string>\n\t\t<key>Children</key>\n\t\t<array>\n\t\t\t<string>C</string>\n"
        let end = "\t\t</array>\n\t</dict>\n</array>\n</plist>\n"
        var edited = try EditedText("<plist>\n<array>\n" + row + other + end)
        try edited.apply([.move("/A", below: "/B")])
        let moved =
            "\t\t\t<dict>\n\t\t\t\t<key>Title</key>\n\t\t\t\t<string>A</string>\n\t\t\t\t<!--> x\n\t\ty --><!-- z\n-->\n"
            + "\t\t\t\t<?p\n\t\tq?><??>\n\t\t\t\t<key>k</key>\n\t\t\t\t<true/>\n\t\t\t</dict>\n"
        #expect(edited.text == "<plist>\n<array>\n" + other + moved + end)
    }

    /// Each on one line, so that new text is on that line, too.
    static var oneLineCases: [(before: String, edits: [Edit], after: String)] {
        do {
            let rows = "<plist><array><!-- a --><string>A</string> <!-- b --> <dict><key>Title</key><string>B</string>"
            let end = "</dict></array></plist>"
            return try [
                (
                    rows + end, [.insert(#""N""#, "/", .first)],
                    rows.replacing("<string>A", with: "<string>N</string><string>A") + end
                ),
                (rows + end, [.insert(#""N""#, "/")], rows + "</dict><string>N</string></array></plist>"),
                (
                    "<!DOCTYPE plist it's \"a>b\">" + rows + end, [.insert(#""N""#, "/")],
                    "<!DOCTYPE plist it's \"a>b\">" + rows + "</dict><string>N</string></array></plist>"
                ),
                (
                    rows + end, [.insert(#""N""#, "/B")],
                    rows + "<key>Children</key><array><string>N</string></array>" + end
                ),
                (
                    rows + end, [.delete("/A")],
                    rows.replacing("<string>A</string> <!-- b --> ", with: "<!-- b --> ") + end
                ),
                (
                    rows + "<key>a</key> <!-- c --> <real a='>'>1</real>" + end, [.patch(#"{"a":null}"#, "/B")],
                    rows + "<!-- c -->" + end
                ),
                (
                    rows + "<key>a</key><!-- c --><real b='>' \t c=\"/\" >1</real><key>d</key><true e=''/>" + end,
                    [.patch(#"{"a":"x","d":false}"#, "/B")],
                    rows + "<key>a</key><!-- c --><string b='>' \t c=\"/\">x</string><key>d</key><false e=''/>" + end
                ),
                (
                    "<plist><array><string a=\"1\"/></array></plist>", [.patch(#"{"Title":"x"}"#, "/~1")],
                    "<plist><array><string a=\"1\">x</string></array></plist>"
                ),
                (
                    "<plist><dict><key>Sections</key><array><dict><key>Title</key><string>S</string></dict></array></dict></plist>",
                    [.insert(#""N""#, "/")],
                    "<plist><dict><key>Sections</key><array><dict><key>Title</key><string>S</string>"
                        + "<key>Rows</key><array><string>N</string></array></dict></array></dict></plist>"
                ),
            ]
        } catch {
            Issue.record(error)
            return []
        }
    }

    @Test("in a document of one line new text is on that line", arguments: oneLineCases.indices)
    func oneLine(_ number: Int) throws {
        let (before, edits, after) = Self.oneLineCases[number]
        var edited = try EditedText(before)
        try edited.apply(edits)
        #expect(edited.text == after)
    }

    @Test("line ends within a text stay as in the document", arguments: ["\r", "\r\n"])
    func lineEndsWithinTexts(_ lineBreak: String) throws {
        let text = "<plist>\n<array>\n\t<string>A</string>\n</array>\n</plist>\n".replacing("\n", with: lineBreak)
        var edited = try EditedText(text)
        try edited.apply([.patch(#"{"Title":"a\nb"}"#, "/A")])
        #expect(edited.text == text.replacing(">A<", with: ">a\(lineBreak)b<"))
    }

    @Test("a moved item keeps its text and comments, indented as its new place")
    func move() throws {
        var edited = try EditedText(Self.before)
        try edited.apply([
            .insert(#"{"Title":"N"}"#, "/", .first), .move("/C", below: "/N"), .patch(#"{"Note":"m"}"#, "/N/C"),
        ])
        #expect(
            edited.text.contains(
                """
                \t\t<dict>
                \t\t\t<key>Title</key>
                \t\t\t<string>N</string>
                \t\t\t<key>Children</key>
                \t\t\t<array>
                \t\t\t\t<dict a="1">
                \t\t\t\t\t<key>Title</key>  <string>C</string>
                \t\t\t\t\t<key>Note</key>
                \t\t\t\t\t<string>m</string> <!-- kept -->
                \t\t\t\t\t<key>Children</key>
                \t\t\t\t\t<array/>
                \t\t\t\t</dict>
                \t\t\t</array>
                \t\t</dict>

                """))
    }

    @Test("a character that the encoding lacks becomes a reference")
    func encodings() throws {
        let latin = Self.before.replacing("UTF-8", with: "ISO-8859-1").replacing("by hand", with: "\u{E9}")
        var edited = try EditedText(latin.unicodeScalars.map { UInt8($0.value) })
        try edited.apply([.insert(#""é日""#, "/", .before("D"))])
        let written = String(String.UnicodeScalarView(edited.bytes.map { Unicode.Scalar($0) }))
        let place = "\t\t<string>D</string>"
        #expect(written == latin.replacing(place, with: "\t\t<string>é&#x65E5;</string>\n" + place))
    }

    @Test("UTF-16 keeps its byte order and its mark", arguments: [true, false])
    func utf16(isBig: Bool) throws {
        func encoded(_ text: String) -> [UInt8] {
            ("\u{FEFF}" + text).utf16.flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isBig ? [high, low] : [low, high]
            }
        }
        let document = Self.before.replacing("UTF-8", with: "UTF-16")
        var edited = try EditedText(encoded(document))
        try edited.apply([.insert(#""日😀""#, "/", .before("D"))])
        let place = "\t\t<string>D</string>"
        #expect(edited.bytes == encoded(document.replacing(place, with: "\t\t<string>日😀</string>\n" + place)))
    }

    @Test("a section without rows gets a place for them, and named sections are found by their names")
    func sections() throws {
        let text = """
            <plist><array><dict><key>Title</key><string>S</string>
            <key>Sections</key><dict>
              <key>b</key><array><string>1</string></array>
              <key>a</key><array><string>2</string></array>
            </dict><key>SectionKeys</key><array><string>a</string><string>b</string></array></dict>
            <dict><key>Title</key><string>T</string><key>Sections</key><array>
              <dict>
                <key>Title</key><string>Empty</string>
              </dict>
              <dict><key>Rows</key><array><string>3</string></array></dict>
            </array></dict></array></plist>
            """
        var edited = try EditedText(text)
        try edited.apply([.insert(#""x""#, "/S", .first, section: 0), .insert(#""y""#, "/T", .last, section: 0)])
        #expect(
            edited.text
                == text.replacing("<string>2</string>", with: "<string>x</string><string>2</string>")
                .replacing(
                    "<string>Empty</string>\n",
                    with:
                        "<string>Empty</string>\n    <key>Rows</key><array>\n      <string>y</string>\n    </array>\n"
                ))
    }

    @Test("of a repeated key the last one is edited")
    func repeatedKeys() throws {
        let text = """
            <plist><dict><key>Rows</key><array><string>1</string></array>
            <key>N</key><string>1</string><key>N</key><string>2</string>
            <key>Rows</key><array><string>a</string><string>b</string></array></dict></plist>
            """
        var edited = try EditedText(text)
        try edited.apply([.delete("/a"), .patch(#"{"N":"3"}"#, "/")])
        #expect(
            edited.text
                == text.replacing("<string>a</string>", with: "").replacing(
                    "<string>2</string>", with: "<string>3</string>"))
    }
}
