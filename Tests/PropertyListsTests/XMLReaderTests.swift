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
                "<array><string>a</array>",
                "1:17: markup stands inside a text that '</string>' must close; write '<' as '&lt;'"
            ),
            (
                "<array><string>a & b</string></array>",
                "1:18: '&' begins no reference here; write '&amp;' for the character itself"
            ),
            ("<dict></array>", "1:7: a <dict> is open here; it must be closed by </dict>"),
            ("<array></dict>", "1:8: an <array> is open here; it must be closed by </array>"),
            (
                "<plist><array/><array/></plist>",
                "1:16: a second value stands in <plist>; a property list has one, so put both into an array"
            ),
            ("<array/>x", "1:9: something stands after the end of the property list; remove it"),
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
