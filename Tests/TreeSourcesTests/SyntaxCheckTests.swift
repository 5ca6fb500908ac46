import Levels
import PropertyLists
import Testing

@testable import TreeSources

private let toml = "it looks like TOML, which is not read; convert it to JSON, as with yq -p toml -o json"
private let yaml = "it looks like YAML, which is not read; convert it to JSON, as with yq -o json"
private let table =
    "it looks like a table of separated values; give it a name that ends in .csv or .tsv, or name it in 'Records'"

@Suite("The syntax of a document")
struct SyntaxCheckTests {
    @Test(
        "is told from its first bytes",
        arguments: [
            ("<plist/>", PropertyListSyntax.xml), (" \r\n\t<?xml?>", .xml), ("\u{FEFF}<plist/>", .xml),
            ("bplist00xyz", .binary), ("{}", .json), ("{ \"a\" : 1 }", .json), ("\n[1]", .json), ("[", .json),
            ("\"text\"", .json), ("-1", .json), ("42", .json), ("true", .json), ("false", .json), ("null", .json),
            ("{ 'a' : 1 }", .json), ("{ a : 1 }", .json), ("{", .json), ("{ \"a\\\"=\" : 1 }", .json),
            ("{ \"\\\"=\" : 1 }", .json), ("{ = 1 }", .json), ("{ /* a = b */ }", .json), ("{ \"a", .json),
            ("{ // a = b", .json),
        ])
    func syntax(of text: String, is expected: PropertyListSyntax) throws {
        #expect(try SyntaxCheck.syntax(of: Array(text.utf8)) == expected)
    }

    @Test("is distinguished from UTF-16, with and without a mark", arguments: [true, false], [true, false])
    func utf16(isBigEndian: Bool, hasMark: Bool) throws {
        func bytes(_ text: String) -> [UInt8] {
            ((hasMark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit in
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isBigEndian ? pair : pair.reversed()
            }
        }
        #expect(try SyntaxCheck.syntax(of: bytes(" <plist/>")) == .xml)
        #expect(try SyntaxCheck.syntax(of: bytes("{\"ä\":1}")) == .json)
    }

    @Test(
        "is refused with a word on what the file is",
        arguments: [
            (
                Array("bplist15".utf8),
                "it is a binary property list of the version 'bplist15'; only 'bplist00' is supported, so convert it with plutil -convert xml1"
            ),
            ([0x1F, 0x8B, 8, 0], "it is compressed with gzip; decompress it first"),
            (Array("PK\u{3}\u{4}..".utf8), "it is compressed with zip; decompress it first"),
            (Array("PK\u{3}\u{4}...xl/workbook.xml".utf8), "it is an Excel workbook; save it as CSV UTF-8"),
            ([0xD0, 0xCF, 0x11, 0xE0, 0xA1], "it is an Excel workbook; save it as CSV UTF-8"),
            (
                Array("PK\u{3}\u{4}mimetypeapplication/vnd.oasis.opendocument.spreadsheet".utf8),
                "it is an OpenDocument spreadsheet; save it as CSV"
            ),
            (
                Array("// one\n{\"Rows\": []}".utf8),
                "it begins with a comment; JSON has no comments, so remove them"
            ),
            (Array("# one\n{\"Rows\": []}".utf8), "it begins with a comment; JSON has no comments, so remove them"),
            (Array("/* one */ []".utf8), "it begins with a comment; JSON has no comments, so remove them"),
            (Array("\n<!DOCTYPE HTML>".utf8), "it is an HTML page; it must be a property list or a table"),
            (Array("<html lang".utf8), "it is an HTML page; it must be a property list or a table"),
            (
                [UInt8](repeating: 0, count: 4096),
                "the file begins with zero bytes instead of text; it was not written completely, so save it again"
            ),
            (Array(" \n\t ".utf8), "the file contains only white space; it must contain a property list"),
            (Array("title: Root".utf8), yaml),
            (Array("# Hosts\n[owner]\nname = \"x\"".utf8), toml),
            (Array("[[rows]]\na = 1".utf8), toml),
            (Array("\n \n\t\n# Hosts\n\n[owner]\nname = \"x\"".utf8), toml),
            (Array("\n \n\t[owner]\nname = \"x\"".utf8), toml),
            (Array("name = 5".utf8), toml),
            (Array("%YAML 1.2\n---".utf8), yaml),
            (Array("- a\n- b".utf8), yaml),
            (Array("Name;Price\nx;1".utf8), table),
            (
                Array("hello world".utf8),
                "it is not a property list: it begins with neither '<' (XML), 'bplist00' (binary) nor '{' or '[' (JSON), but 'hello'"
            ),
            (
                [0x89, 0x50, 0x4E],
                "it is not a property list: it begins with neither '<' (XML), 'bplist00' (binary) nor '{' or '[' (JSON)"
            ),
            ([0x89, 0x50, 0x4E, 0x47], "it is a PNG image; it must be a property list or a table"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "it is a JPEG image; it must be a property list or a table"),
            (Array("%PDF-1.7".utf8), "it is a PDF document; it must be a property list or a table"),
            (Array("GIF89a".utf8), "it is a GIF image; it must be a property list or a table"),
            (Array("RIFF....".utf8), "it is a RIFF file, such as a WebP image; it must be a property list or a table"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "it is compressed with xz; decompress it first"),
            ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed with zstd; decompress it first"),
            (Array("BZh9".utf8), "it is compressed with bzip2; decompress it first"),
            ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "it is compressed with 7z; decompress it first"),
            (Array("---\na: 1".utf8), yaml),
            (Array("Name,Price\nx,1".utf8), table),
            (Array("Name\tPrice\nx\t1".utf8), table),
        ] as [([UInt8], String)])
    func refusal(of bytes: [UInt8], says sentence: String) {
        #expect(throws: PropertyListError(reason: sentence)) { try read(bytes) }
    }

    @Test("is that of a workbook by its name, too", arguments: ["a.xlsx", "A.XLSM"])
    func workbook(name: String) {
        #expect(throws: PropertyListError(reason: "it is an Excel workbook; save it as CSV UTF-8")) {
            try SyntaxCheck.syntax(of: Array("PK\u{3}\u{4}".utf8), name: name)
        }
    }

    /// Reads a document of the syntax that its first bytes have.
    private func read(_ bytes: [UInt8]) throws {
        var survey = NaturalSurvey()
        try SyntaxCheck.syntax(of: bytes).read(.memory(bytes), limits: PropertyListLimits(), into: &survey)
    }

    @Test(
        "is JSON if the text is JSON, whatever its first line looks like",
        arguments: [
            "[[true]]", "[null ]", "[[null]]", "[ true ]", "[[true]\n,[false]]", "\"a,b\"", "\"a;b\"", "\"a\\tb\"",
            "\"- a\"", "\"a: b\"", "\"[a]\"", "\"a = 1\"", "-1", "\n\n[[true]]", "true", "null",
        ])
    func json(_ text: String) throws { try read(Array(text.utf8)) }

    @Test("is JSON with a fault if the first line is JSON")
    func laterFault() {
        #expect(
            throws: PropertyListError(
                reason:
                    "a comma precedes the end of an array or object; JSON does not allow trailing commas",
                at: .text(line: 2, column: 2), path: "/")
        ) { try read(Array("[[true]\n,]".utf8)) }
    }

    @Test(
        "is refused where it is UTF-32, with and without a mark", arguments: [true, false], ["<plist/>", "[1]", "é"])
    func utf32(isBigEndian: Bool, text: String) {
        let mark = Unicode.Scalar(0xFEFF as UInt16).map { [$0] } ?? []
        for scalars in [Array(text.unicodeScalars), mark + text.unicodeScalars] {
            let bytes = scalars.flatMap { scalar in
                (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * (isBigEndian ? 3 - $0 : $0))) }
            }
            #expect(
                throws: PropertyListError(
                    reason: "the text is in UTF-32, which is not supported; save the document as UTF-8")
            ) {
                try SyntaxCheck.syntax(of: bytes)
            }
        }
    }

    @Test(
        "is refused where it is OpenStep's",
        arguments: [
            "{ a = b; }", "{\"a\"=\"b\";}", "( a, b )", "/* by hand */ { a = b; }",
            "// !$*UTF8*$!\n{\n\tarchiveVersion = 1;",
            "\"Key\" = \"Value\";", "\"\" = \"x\";", "{ /* { */ a.b-c = (); }", "name = value;",
        ])
    func openStep(_ text: String) {
        let sentence =
            "it is an OpenStep property list, which is another format; convert it with plutil -convert xml1 or, on Linux, with plistutil -f xml"
        #expect(throws: PropertyListError(reason: sentence)) { try SyntaxCheck.syntax(of: Array(text.utf8)) }
    }
}
