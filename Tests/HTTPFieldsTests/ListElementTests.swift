import HTTPFields
import Testing

/// Elements of lists and quoted strings (RFC 9110, sections 5.6.1 and 5.6.4).
@Suite struct ListElementTests {
    private static func elements(_ line: String, dividedBy separator: Unicode.Scalar = ",") -> [String] {
        var elements: [String] = []
        line.utf8Span.span.forEachElement(dividedBy: UInt8(ascii: separator)) {
            elements.append(String($0))
            return true
        }
        return elements
    }

    @Test(
        "Elements are what is between commas, without the white space around it",
        arguments: [
            ("", [""]), (" \t ", [""]), ("a", ["a"]), ("a,b", ["a", "b"]), (" a ,\tb\t", ["a", "b"]),
            (",", ["", ""]), (",,a, ,", ["", "", "a", "", ""]), ("a b , c\td", ["a b", "c\td"]),
            ("a\u{A0},\u{B}b", ["a\u{A0}", "\u{B}b"]), ("é,ÿ", ["é", "ÿ"]),
        ])
    func elements(_ line: String, _ elements: [String]) { #expect(Self.elements(line) == elements) }

    @Test(
        "A comma in a quoted string separates nothing",
        arguments: [
            (#""a,b",c"#, [#""a,b""#, "c"]), (#"a="b,c" , d"#, [#"a="b,c""#, "d"]),
            (#""a\",b",c"#, [#""a\",b""#, "c"]), (#""a\\",b"#, [#""a\\""#, "b"]), (#"a\,b"#, [#"a\"#, "b"]),
            (#"a\",b",c"#, [#"a\",b""#, "c"]), ("\"\",\"\"", ["\"\"", "\"\""]), (#""a""b,c",d"#, [#""a""b,c""#, "d"]),
        ])
    func quotedStrings(_ line: String, _ elements: [String]) { #expect(Self.elements(line) == elements) }

    @Test(
        "A quote that is never closed reaches to the end",
        arguments: [
            (#"a,"b,c"#, ["a", #""b,c"#]), (#"a,""#, ["a", "\""]), (#"a,"b,\"#, ["a", #""b,\"#]),
            (#"a,"b\","#, ["a", #""b\","#]),
        ])
    func unclosed(_ line: String, _ elements: [String]) { #expect(Self.elements(line) == elements) }

    @Test("Parameters are separated by semicolons")
    func parameters() {
        #expect(Self.elements(#"a/b ; q=1;x="c;d" ;"#, dividedBy: ";") == ["a/b", "q=1", #"x="c;d""#, ""])
    }

    @Test("No element follows the one at which the visitor stops")
    func stop() {
        var visits = 0
        "a,b,c".utf8Span.span.forEachElement(dividedBy: UInt8(ascii: ",")) { _ in
            visits += 1
            return visits < 2
        }
        #expect(visits == 2)
    }
}
