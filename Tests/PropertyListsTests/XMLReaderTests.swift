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
        "takes no fault for a cut where the document goes on",
        arguments: [
            (
                "<array><string>a <b>b</b></string></array>",
                "1:18: markup stands inside a text that '</string>' must close; write '<' as '&lt;'"
            ),
            (
                "<array><string>a & b</string></array>",
                "1:18: '&' begins no reference here; write '&amp;' for the character itself"
            ),
            (
                "<array><string>a&#8;</string></array>",
                "1:17: '&#8;' is a character reference, but of a character that XML forbids; remove it, or use the binary format"
            ),
            (
                "<array><string>&#xFFFF;</string></array>",
                "1:16: '&#xFFFF;' is a character reference, but of a character that XML forbids; remove it, or use the binary format"
            ),
            (
                "<array><string>&#xD800;</string></array>",
                "1:16: '&#xD800;' is a character reference, but no character has this number"
            ),
            (
                "<array><string>&#99999999999;</string></array>",
                "1:16: '&#99999999999;' is a character reference, but no character has this number"
            ),
            (
                "<array><string>&#A;</string></array>",
                "1:16: '&#A;' is not known: only &lt; &gt; &amp; &quot; &apos; and character references such as &#228; are"
            ),
            (
                "<array><string>&nbsp;</string></array>",
                "1:16: '&nbsp;' is not known: only &lt; &gt; &amp; &quot; &apos; and character references such as &#228; are"
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
                "1:1: the encoding KOI8-R is not read here; save the document as UTF-8, UTF-16 or ISO-8859-1"
            ),
            (
                "<!DOCTYPE plist [ <!-- <!ENTITY --> <!ELEMENT a ANY> ]><array/>",
                "1:1: the declarations inside <!DOCTYPE are not read here; leave out '[', ']' and all that is between them"
            ),
            (
                "<!DOCTYPE plist [ <!ELEMENT a ANY> <!ENTITY a 'b'> ]><array/>",
                "1:1: entity declarations are refused, since a few of them can unfold without end; write the text itself"
            ),
            (
                "<plist><array/><array/></plist>",
                "1:16: a second value stands in <plist>; a property list has one, so put both into an array"
            ),
            ("<array/>x", "1:9: something stands after the end of the property list; remove it"),
            ("<array><dict<key>a</key></dict></array>", "1:13: a tag begins inside a tag; '>' is missing before it"),
            ("<array></array<array/>", "1:15: the end tag is not closed; '>' is missing"),
            ("<array/ >", "1:7: '/' stands alone in a tag; an empty element ends with '/>'"),
            (
                "<html/>",
                "1:1: <html> is not an element of a property list; there are dict, key, array, string, integer, real, date, data, true and false"
            ),
        ])
    func refuses(text: String, sentence: String) {
        #expect(Format.xml.refusal(of: Array(text.utf8)) == sentence)
    }
}
