import PropertyLists
import Testing

@Suite("The XML reader")
struct XMLReaderTests {
    @Test("says of every document that is cut short that it is, wherever it is")
    func truncation() throws {
        let document = Array(Self.document.utf8)
        #expect(try Format.xml.read(document) != nil)
        for count in 0..<document.count {
            let refusal = try #require(Format.xml.refusal(of: Array(document.prefix(count))))
            #expect(refusal.contains("the document ends"), "after \(count) bytes: \(refusal)")
        }
    }

    private static let document = """
        <?xml version="1.0"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <!-- one of each -->
        <dict>
            <key>a &amp; &#233;</key><array><true/><false /><integer>1</integer><real>1.5</real></array >
            <key>東</key><string a="b"><![CDATA[<]]> é</string>
            <key>c</key><date>2001-01-01T00:00:00Z</date>
            <key>d</key><data>AAAA</data>
        </dict>
        </plist>
        """

    @Test(
        "reads each end of a line in a text as a line feed, in CDATA too",
        arguments: [
            ("a\r\nb\rc\r", "a\nb\nc\n"), ("\r\r\n\n\r", "\n\n\n\n"), ("\r\n", "\n"), ("\r", "\n"), ("]\r\n]", "]\n]"),
        ])
    func lineEnds(_ text: String, _ expected: String) throws {
        for text in ["<![CDATA[\(text)]]>", text] {
            #expect(try Format.xml.read(Array("<string>\(text)</string>".utf8)) == .string(expected))
        }
    }

    @Test(
        "knows the days of the calendar and the seconds of a minute",
        arguments: [
            ("1904-02-29T00:00:00Z", true), ("1900-02-29T00:00:00Z", false), ("2000-02-29T23:59:59Z", true),
            ("2100-02-29T00:00:00Z", false), ("2001-02-29T00:00:00Z", false), ("2100-02-28T00:00:00Z", true),
            ("2001-04-31T00:00:00Z", false), ("2016-12-31T23:59:60Z", false), ("2016-12-31T23:60:00Z", false),
            ("2016-12-31T24:00:00Z", false),
        ])
    func calendar(_ date: String, _ isReal: Bool) {
        let refusal = Format.xml.refusal(of: Array("<date>\(date)</date>".utf8))
        let sentence = "1:7: '\(date)' is not a calendar date; dates range from 0001-01-01 to 9999-12-31"
        #expect(refusal == (isReal ? nil : sentence))
    }

    @Test(
        "takes no fault for a cut where the document goes on",
        arguments: [
            (
                "<array><string>a <b>b</b></string></array>",
                "1:18: markup appears inside text that '</string>' must close; write '<' as '&lt;'"
            ),
            (
                "<array><string>a & b</string></array>",
                "1:18: '&' does not begin a reference here; write '&amp;' for the character itself"
            ),
            ("<array><string>a&#8;</string></array>", "1:17: '&#8;' \(forbidden)"),
            ("<array><string>&#xFFFF;</string></array>", "1:16: '&#xFFFF;' \(forbidden)"),
            (
                "<array><string>&#xD800;</string></array>",
                "1:16: '&#xD800;' refers to a character that does not exist"
            ),
            (
                "<array><string>&#99999999999;</string></array>",
                "1:16: '&#99999999999;' refers to a character that does not exist"
            ),
            (
                "<array><string>&#A;</string></array>",
                "1:16: '&#A;' is not defined; only &lt; &gt; &amp; &quot; &apos; and character references such as &#228; are"
            ),
            (
                "<array><string>&nbsp;</string></array>",
                "1:16: '&nbsp;' is not defined; only &lt; &gt; &amp; &quot; &apos; and character references such as &#228; are"
            ),
            (
                "<?xml version=\"1.0\" encoding=\"UTF-16\"?><array/>",
                "1:1: the XML declaration names the encoding UTF-16, but the text is UTF-8; write encoding=\"UTF-8\" there"
            ),
            (
                "<?xml version=\"1.0\" encoding='utf-32le'?><array/>",
                "1:1: the XML declaration names the encoding utf-32le, but the text is UTF-8; write encoding=\"UTF-8\" there"
            ),
            (
                "<?xml version=\"1.0\" encoding=\"KOI8-R\"?><array/>",
                "1:1: the encoding KOI8-R is not supported; save the document as UTF-8, UTF-16 or ISO-8859-1"
            ),
            (
                "<!DOCTYPE plist [ <!-- <!ENTITY --> <!ELEMENT a ANY> ]><array/>",
                "1:1: declarations inside <!DOCTYPE …> are not supported; remove '[', ']' and everything between them"
            ),
            (
                "<!DOCTYPE plist [ <!ELEMENT a ANY> <!ENTITY a 'b'> ]><array/>",
                "1:1: entity declarations are not allowed, because a few can expand without limit; write the text itself"
            ),
            (
                "<!DOCTYPE plist [<<!ENTITY a 'b'> ]><array/>",
                "1:1: entity declarations are not allowed, because a few can expand without limit; write the text itself"
            ),
            (
                "<!DOCTYPE plist [<!-- <!ENTITY a 'b'> ]><array/>",
                "1:1: entity declarations are not allowed, because a few can expand without limit; write the text itself"
            ),
            (
                "<plist><array/><array/></plist>",
                "1:16: <plist> contains a second value; a property list has one, so put both into an array"
            ),
            ("<array/>x", "1:9: the document continues after the end of the property list; remove the rest"),
            ("<array><dict<key>a</key></dict></array>", "1:13: a tag begins inside a tag; '>' is missing before it"),
            ("<array></array<array/>", "1:15: the end tag is not closed; '>' is missing"),
            ("<array/ >", "1:7: a '/' in a tag is not followed by '>'; an empty element ends with '/>'"),
            (
                "<html/>",
                "1:1: <html> is not a property list element; the elements are dict, key, array, string, integer, real, date, data, true and false"
            ),
        ] as [(String, String)])
    func refuses(text: String, sentence: String) {
        #expect(Format.xml.refusal(of: Array(text.utf8)) == sentence)
    }

    @Test(
        "reads each form of markup",
        arguments: [
            ("<plist version='>' a=\"/>\"><array/></plist>", []),
            (
                "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"a>[b\" \"c\"><!-- > --><?a <?><plist><!-- -- --><array>"
                    + "<!-- [ --><?b?></array ></plist >\n<!-- ] --> <?c?>\n", []
            ),
            (
                "<array a='x'><true></true><true> <!-- c --> </true><false\n/><true a='/'/></array>",
                [true, true, false, true]
            ),
            (
                "<dict><key/><string/><key >a</key ><data/></dict>",
                .dictionary([.init(key: "", value: ""), .init(key: "a", value: .data([]))])
            ),
            ("<dict a='b'><key>a<!-- <b> --></key><string >x<?y <z> ?></string\n></dict >", ["a": "x"]),
            ("<integer>&#x31;<![CDATA[2]]></integer>", 12), ("<string><![CDATA[a]]b]>]]>]]></string>", "a]]b]>]]>"),
            (
                "<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x4a;&#x10FFFF;&#00000000000066;&#9;</string>",
                "<>&\"'AJ\u{10FFFF}B\t"
            ),
            (
                "<string>&#10;&#13;&#32;&#xD7FF;&#xE000;&#xFFFD;&#x10000;</string>",
                "\n\r \u{D7FF}\u{E000}\u{FFFD}\u{10000}"
            ),
        ] as [(String, Tree)])
    func markup(text: String, value: Tree) throws { #expect(try Format.xml.read(Array(text.utf8)) == value) }

    @Test(
        "refuses what the grammar of property lists does not have",
        arguments: [
            ("", "1:1: the document ends before the property list does; it was truncated"),
            (
                " x<array/>",
                "1:2: this is not an XML property list; it begins with <?xml …?>, <!DOCTYPE plist …> or <plist>"
            ),
            (
                "<!ENTITY a 'b'><array/>",
                "1:1: entity declarations are not allowed, because a few can expand without limit; write the text itself"
            ),
            (
                "<!ELEMENT a ANY><array/>",
                "1:1: a declaration appears before the property list; only <!DOCTYPE …> is allowed there"
            ),
            ("<plist/>", "1:9: <plist/> is empty; it needs one value, an array or a dictionary"),
            ("<plist></plist>", "1:8: the property list holds no value; it needs one, an array or a dictionary"),
            ("<array>a</array>", "1:8: text appears between elements; put it into a <string>"),
            (
                "<array><!ELEMENT a ANY></array>",
                "1:8: a declaration appears inside the property list; only comments are allowed there"
            ),
            (
                "<array/><!ELEMENT a ANY>",
                "1:9: the document continues after the end of the property list; remove the rest"
            ),
            ("<dict><string>a</string></dict>", "1:14: a value in a <dict> has no <key> before it"),
            ("<dict><true/></dict>", "1:12: a value in a <dict> has no <key> before it"),
            ("<dict><dict/></dict>", "1:12: a value in a <dict> has no <key> before it"),
            (
                "<dict><key>a</key><key>b</key></dict>",
                "1:23: in /a: a <key> follows a <key>; the first one has no value"
            ),
            ("<dict><key>a</key><key/></dict>", "1:23: in /a: a <key> follows a <key>; the first one has no value"),
            ("<array><key>a</key></array>", "1:12: a <key> appears outside a <dict>; keys belong in dictionaries"),
            ("<key>a</key>", "1:5: a <key> appears outside a <dict>; keys belong in dictionaries"),
            ("<dict><key>a</key></dict>", "1:19: in /a: the preceding <key> has no value"),
            ("<array><true>x</true></array>", "1:14: <true> cannot contain text; write <true/>"),
            ("<array><false>x</false></array>", "1:15: <false> cannot contain text; write <false/>"),
            ("<array><!-- x >", "1:8: the document ends inside a comment; '-->' is missing"),
            ("<array/><!-- x >", "1:9: the document ends inside a comment; '-->' is missing"),
            ("<array><?x >", "1:8: the document ends inside a declaration; '?>' is missing"),
            ("<string>a<!-- x >", "1:10: the document ends inside a comment; '-->' is missing"),
            ("<string>a<?x >", "1:10: the document ends inside a declaration; '?>' is missing"),
            ("<string>a", "1:9: the document ends inside text; '</string>' is missing"),
            ("<string>a&lt;", "1:14: the document ends inside text; '</string>' is missing"),
            ("<string><![CDATA[a>", "1:18: the document ends inside a CDATA section; ']]>' is missing"),
            (
                "<string>&#000000000000066;</string>",
                "1:9: '&' does not begin a reference here; write '&amp;' for the character itself"
            ),
            ("<string>a&;</string>", "1:10: '&;' is not defined; \(references)"),
            ("<string>&#;</string>", "1:9: '&#;' is not defined; \(references)"),
            ("<string>&#x;</string>", "1:9: '&#x;' is not defined; \(references)"),
            ("<string>&#X41;</string>", "1:9: '&#X41;' is not defined; \(references)"),
            ("<string>&#31;</string>", "1:9: '&#31;' \(forbidden)"),
            ("<string>&#xFFFE;</string>", "1:9: '&#xFFFE;' \(forbidden)"),
            ("<string>&#x0;</string>", "1:9: '&#x0;' \(forbidden)"),
        ] as [(String, String)])
    func grammar(text: String, sentence: String) { #expect(Format.xml.refusal(of: Array(text.utf8)) == sentence) }

    @Test(
        "knows its elements by their whole names",
        arguments: ["dicty", "arrays", "array\u{E9}", "date1", "datas", "trueish", "plists", "p", "strings"])
    func names(name: String) {
        let elements = "dict, key, array, string, integer, real, date, data, true and false"
        #expect(
            Format.xml.refusal(of: Array("<\(name)/>".utf8))
                == "1:1: <\(name)> is not a property list element; the elements are \(elements)")
    }

    private static let forbidden =
        "refers to a character that XML does not allow; remove it, or use the binary format"
    private static let references = "only &lt; &gt; &amp; &quot; &apos; and character references such as &#228; are"

    @Test("refuses what passes a limit, and not before")
    func limits() throws {
        let document = Array("<dict><key>k</key><array><true/><data>AAAA</data></array></dict>".utf8)
        #expect(
            try Format.xml.read(document, limits: .init(nesting: 2, values: 4)) == ["k": [true, .data([0, 0, 0])]])
        #expect(
            Format.xml.refusal(of: document, limits: .init(nesting: 1))
                == "1:26: in /k: the document nests deeper than 1 containers; flatten it")
        #expect(
            Format.xml.refusal(of: document, limits: .init(values: 3))
                == "1:38: in /k: the document holds more than 3 values; split it")
        for (text, refusal) in [("a&amp;", "an element's text"), ("aa\r", "an element's text")] {
            let document = Array("<string>\(text)b</string>".utf8)
            #expect(Format.xml.refusal(of: document, limits: .init(valueBytes: text.count == 3 ? 4 : 3)) == nil)
            #expect(
                Format.xml.refusal(of: document, limits: .init(valueBytes: text.count == 3 ? 3 : 2))?
                    .hasSuffix(
                        "\(refusal) is longer than \(text.count == 3 ? 3 : 2) bytes; store large data in separate files"
                    ) == true)
        }
    }
}
