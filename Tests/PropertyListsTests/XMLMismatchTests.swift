import PropertyLists
import Testing

@Suite("A tag that does not fit")
struct XMLMismatchTests {
    private func refusal(_ lines: [String]) -> String? {
        Format.xml.refusal(of: Array(lines.joined(separator: "\n").utf8))
    }

    @Test(
        "is told with the element that is open and the line in which it was opened",
        arguments: [
            (
                ["<plist>", "<array>", "</array>", "</plst>"],
                "4:1: </plst> is misspelt; <plist>, opened on line 1, must be closed by </plist>"
            ),
            (
                ["<plist><array/></plistx>"],
                "1:16: </plistx> is misspelt; <plist>, opened on line 1, must be closed by </plist>"
            ),
            (
                ["<plist>", "<dict>", "</dict></dict>", "</plist>"],
                "3:8: </dict> does not match <plist>, which was opened on line 1 and must be closed by </plist>"
            ),
            (
                ["<dict>", "</array>"],
                "2:1: </array> does not match <dict>, which was opened on line 1 and must be closed by </dict>"
            ),
            (
                ["<array>", "</arrays>"],
                "2:1: </arrays> is misspelt; <array>, opened on line 1, must be closed by </array>"
            ),
            (["<dict>", "</dict/>"], "2:7: the end tag is not closed; '>' is missing"),
            (
                [
                    "<plist><!-- <dict> -->", "<?a <b> ?><dict", " x=\"<>\">", "<key>a &amp; b</key>",
                    "<string><![CDATA[<array>]]>\n</string>", "<key>c</key><array>", "<array/><dict></dict>",
                    "  </dict>",
                    "</plist>",
                ],
                "9:3: in /c: </dict> does not match <array>, which was opened on line 7 and must be closed by </array>"
            ),
            (
                ["<array><string>a</string>", "<string>b</strng>", "</array>"],
                "2:10: </strng> is misspelt; <string>, opened on line 2, must be closed by </string>"
            ),
            (
                ["<dict><key>", "a</string></dict>"],
                "2:2: </string> does not match <key>, which was opened on line 1 and must be closed by </key>"
            ),
            (
                ["<array><string>a</stringy></array>"],
                "1:17: </stringy> is misspelt; <string>, opened on line 1, must be closed by </string>"
            ),
        ])
    func wrongEndTag(lines: [String], sentence: String) {
        #expect(refusal(lines) == sentence)
    }

    @Test(
        "tells of a text that is not closed, in the line of its beginning",
        arguments: [
            (["<array>", "<string>a", "<string>b</string>", "</array>"], "2:1", "string", "<string> on line 3"),
            (["<array>", "<!-- é --><string a='b'>a &amp; b", "", "</array>"], "2:11", "string", "</array> on line 4"),
            (["<dict>", "<key>a", "<string>b</string>", "</dict>"], "2:1", "key", "<string> on line 3"),
            (["<dict><key>a</key><integer>5", "</dict>"], "1:19: in /a", "integer", "</dict> on line 2"),
            (["<plist><data>AAAA", "</plist>"], "1:8", "data", "</plist> on line 2"),
        ])
    func unclosedText(lines: [String], place: String, element: String, next: String) {
        #expect(
            refusal(lines)
                == "\(place): <\(element)> is not closed; write </\(element)> before \(next), or '&lt;' for a '<' that belongs to the text"
        )
    }

    @Test("is reported with the same lines in a document of many pieces, and in UTF-16")
    func largeDocument() {
        let rows = Array(repeating: "<string>\(String(repeating: "ä &lt; ", count: 20))</string>", count: 800)
        let lines = ["<array>"] + rows + ["  <string>b", "</array>"]
        let sentence =
            "802:3: <string> is not closed; write </string> before </array> on line 803, or '&lt;' for a '<' that belongs to the text"
        #expect(refusal(lines) == sentence)
        let units = Array("\u{FEFF}\(lines.joined(separator: "\n"))".utf16)
        #expect(
            Format.xml.refusal(of: units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }) == sentence)
    }

    @Test("is shown as messages show texts from outside")
    func quoted() {
        let long = String(repeating: "x", count: 100)
        #expect(
            refusal(["<array></a\u{202E}\(long)>"])
                == "1:8: </a\\u{202E}\(long.prefix(78))…> is misspelt; <array>, opened on line 1, must be closed by </array>"
        )
        #expect(
            refusal(["<array><a\u{9B}\(long)/></array>"])
                == "1:8: <a\\u{9B}\(long.prefix(78))…> is not a property list element; the elements are dict, key, array, string, integer, real, date, data, true and false"
        )
    }
}
