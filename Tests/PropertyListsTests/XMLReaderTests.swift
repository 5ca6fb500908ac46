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
            (
                "<array><string>a&#8;</string></array>",
                "1:17: '&#8;' refers to a character that XML does not allow; remove it, or use the binary format"
            ),
            (
                "<array><string>&#xFFFF;</string></array>",
                "1:16: '&#xFFFF;' refers to a character that XML does not allow; remove it, or use the binary format"
            ),
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
        ])
    func refuses(text: String, sentence: String) {
        #expect(Format.xml.refusal(of: Array(text.utf8)) == sentence)
    }
}
