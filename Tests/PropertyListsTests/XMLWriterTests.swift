import PropertyLists
import Testing

@Suite("The XML writer")
struct XMLWriterTests {
    @Test("writes as Xcode does, one element a line")
    func layout() throws {
        let tree: Tree = [
            "Title": "a < b > c & \"d\" 'e'\r\n", "Empty": [[], .dictionary([]), "", .data([])],
            "Numbers": [1, .integer(PropertyListInteger(UInt64.max)), -5, .real(1), .real(.nan), .real(-.infinity)],
            "Rest": [true, false, .date(-0.0), .uid(3)], "Data": .data(Array(0..<60)),
            "Deep": [[[[[[[[.data(Array(0..<20))]]]]]]]],
        ]
        #expect(try String(decoding: Format.xml.write(tree), as: UTF8.self) == Self.expected)
    }

    private static let expected = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>Title</key>
        \t<string>a &lt; b &gt; c &amp; "d" 'e'&#13;
        </string>
        \t<key>Empty</key>
        \t<array>
        \t\t<array/>
        \t\t<dict/>
        \t\t<string></string>
        \t\t<data>
        \t\t</data>
        \t</array>
        \t<key>Numbers</key>
        \t<array>
        \t\t<integer>1</integer>
        \t\t<integer>18446744073709551615</integer>
        \t\t<integer>-5</integer>
        \t\t<real>1.0</real>
        \t\t<real>nan</real>
        \t\t<real>-infinity</real>
        \t</array>
        \t<key>Rest</key>
        \t<array>
        \t\t<true/>
        \t\t<false/>
        \t\t<date>2001-01-01T00:00:00Z</date>
        \t\t<dict>
        \t\t\t<key>CF$UID</key>
        \t\t\t<integer>3</integer>
        \t\t</dict>
        \t</array>
        \t<key>Data</key>
        \t<data>
        \tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEy
        \tMzQ1Njc4OTo7
        \t</data>
        \t<key>Deep</key>
        \t<array>
        \t\t<array>
        \t\t\t<array>
        \t\t\t\t<array>
        \t\t\t\t\t<array>
        \t\t\t\t\t\t<array>
        \t\t\t\t\t\t\t<array>
        \t\t\t\t\t\t\t\t<array>
        \t\t\t\t\t\t\t\t\t<data>
        \t\t\t\t\t\t\t\t\tAAECAwQFBgcICQoL
        \t\t\t\t\t\t\t\t\tDA0ODxAREhM=
        \t\t\t\t\t\t\t\t\t</data>
        \t\t\t\t\t\t\t\t</array>
        \t\t\t\t\t\t\t</array>
        \t\t\t\t\t\t</array>
        \t\t\t\t\t</array>
        \t\t\t\t</array>
        \t\t\t</array>
        \t\t</array>
        \t</array>
        </dict>
        </plist>

        """

    @Test(
        "refuses a character that XML cannot carry, in a text or a key, wherever it stands",
        arguments: [
            ("\0", "U+0000"), ("\u{8}", "U+0008"), ("\u{B}", "U+000B"), ("\u{1F}", "U+001F"),
            ("\u{FFFE}", "U+FFFE"), ("\u{FFFF}", "U+FFFF"),
        ])
    func unfitText(character: String, name: String) {
        let error = PropertyListError(
            reason: "the text contains \(name), which XML cannot represent; use the binary format")
        for length in 0..<18 {
            let text = String(repeating: "x", count: length) + character + "y"
            let isMore = XMLText.holdsMoreThanXML(Array(text.utf8).span)
            #expect(isMore)
            #expect(throws: error) { try Format.xml.write(.string(text)) }
            #expect(throws: error) { try Format.xml.write(.dictionary([.init(key: text, value: true)])) }
        }
    }

    @Test(
        "writes the neighbours of what XML cannot carry",
        arguments: ["\t", "\n", " ", "\u{7F}", "\u{FFFD}", "\u{F8FF}"])
    func fitText(text: String) throws {
        let isMore = XMLText.holdsMoreThanXML(Array((text + text).utf8).span)
        #expect(!isMore)
        #expect(try Format.xml.read(Format.xml.write(.string(text))) == .string(text))
    }

    @Test("refuses a fraction of a second")
    func fractions() {
        #expect(
            throws: PropertyListError(
                reason: "XML property lists cannot represent fractions of a second; use the binary format")
        ) { try Format.xml.write(.date(0.5)) }
    }
}
