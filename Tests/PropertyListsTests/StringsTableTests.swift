import Foundation
import Testing

@testable import PropertyLists

/// `.strings` files: Apple's text format, and property lists of texts.
@Suite("A strings file") struct StringsTableTests {
    private static func table(_ bytes: some Sequence<UInt8>) throws(PropertyListError) -> [String: String] {
        try StringsTable(reading: Array(bytes)).texts
    }

    @Test(
        "in the text format is its entries",
        arguments: [
            ("", [:]), (" \n\t", [:]), (#""a" = "b";"#, ["a": "b"]), (#""a"="b";"c"="d";"#, ["a": "b", "c": "d"]),
            ("/* \"x\" = 1; */ \"a\" // one\n = /* two */ \"b\" ; // end", ["a": "b"]),
            ("/**/ a = b; /* ** / */", ["a": "b"]), (#"key.with-1_$:/x = "b";"#, ["key.with-1_$:/x": "b"]),
            (#"az = AZ; AZ09 = "c"; z = Z9;"#, ["az": "AZ", "AZ09": "c", "z": "Z9"]),
            (#"'it"s' = 'a';"#, [#"it"s"#: "a"]), (#""same";"#, ["same": "same"]),
            (#""a" = "1"; "a" = "2";"#, ["a": "2"]), (#""" = "";"#, ["": ""]),
            (#""a" = "x\n\t\r\"\\\'\a\/y";"#, ["a": "x\n\t\r\"\\'\u{7}/y"]),
            (#""a" = "\U00e9\u00DF\U0041\UD83D\UDE00\101";"#, ["a": "éßA😀A"]),
            (#""a" = "\UD83D\ude00";"#, ["a": "😀"]), ("/*/ x = y; */ a = b;", ["a": "b"]),
            ("// x = y;\r\"a\" = \"b\";", ["a": "b"]),
            (#""a" = "\1012\7\0\18\377\400";"#, ["a": "A2\u{7}\0\u{1}8ÿ\0"]),
            (#""a" = "\b\v\f\8\é\q";"#, ["a": "\u{8}\u{B}\u{C}8éq"]),
            ("\"a\" = \"two\nlines\";", ["a": "two\nlines"]), ("\"a\" = \"x\\\ny\";", ["a": "x\ny"]),
            ("\"größe\" = \"😀\";", ["größe": "😀"]),
        ])
    func text(_ text: String, _ expected: [String: String]) throws {
        #expect(try Self.table(text.utf8) == expected)
        #expect(try Self.table([0xEF, 0xBB, 0xBF] + text.utf8) == expected)
        for (mark, encoding) in [
            ([0xFF, 0xFE] as [UInt8], String.Encoding.utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian),
        ] {
            #expect(try Self.table(mark + #require(text.data(using: encoding))) == expected)
        }
    }

    @Test("as a property list is its texts; other values are passed over")
    func propertyLists() throws {
        let content: [String: Any] = ["a": "b", "ü": "", "n": 1, "d": ["c": "x"], "l": ["y"]]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0)
            #expect(try Self.table(data) == ["a": "b", "ü": ""])
        }
        let mark: [UInt8] = [0xFF, 0xFE]
        let xml = "\n \t<plist><dict><key>a</key><string>b</string></dict></plist>"
        #expect(try Self.table(xml.utf8) == ["a": "b"])
        #expect(try Self.table(mark + #require(xml.data(using: .utf16LittleEndian))) == ["a": "b"])
    }

    @Test(
        "that is broken is refused with the place",
        arguments: [
            ("\"a\" = \"b\"", "1:10: a semicolon must follow the entry of the key 'a', but the file ends"),
            ("\n  \"a\" = \"b\" \"c\";", "2:13: a semicolon must follow the entry of the key 'a', not '\"'"),
            ("\"é\" = ;", "1:7: the text of the key 'é' must be text between quotation marks, not ';'"),
            ("= 1;", "1:1: a key must be text between quotation marks, not '='"),
            ("\"a\" =", "1:6: the text of the key 'a' must be text between quotation marks, but the file ends"),
            ("\"a\" = { b = c; };", "1:7: the text of the key 'a' must be text between quotation marks, not '{'"),
            ("\n/* x", "2:1: the comment that begins here is never closed; end it with '*/'"),
            ("\"a\" = \"b;\n", "1:7: the text that begins here is never closed; end it with a quotation mark"),
            ("\"a\" = \"\\", "1:7: the text that begins here is never closed; end it with a quotation mark"),
            ("\"a\" = \"\\U12G4\";", "1:8: \\U must be followed by four hexadecimal digits, as in \\U00E9"),
            ("\"a\" = \"\\U+123\";", "1:8: \\U must be followed by four hexadecimal digits, as in \\U00E9"),
            ("\"a\" = \"\\U12\";", "1:8: \\U must be followed by four hexadecimal digits, as in \\U00E9"),
            ("<plist><array/></plist>", "1:14: a property list of strings must be a dictionary"),
            ("<plist><integer>1</integer></plist>", "1:17: a property list of strings must be a dictionary"),
            ("<plist><data>AAAA</data></plist>", "1:14: a property list of strings must be a dictionary"),
            ("\"a\" = \"\\UD83D\";", "1:8: this \\U is half of a UTF-16 surrogate pair, and the other half is missing"),
            ("<plist><string>a</string></plist>", "1:16: a property list of strings must be a dictionary"),
        ] as [(String, String)])
    func broken(_ text: String, _ expected: String) {
        #expect(throws: PropertyListError.self) { try Self.table(text.utf8) }
        do { _ = try Self.table(text.utf8) } catch { #expect(error.description == expected) }
    }

    @Test("that is not text is refused")
    func notText() {
        for (bytes, expected) in [
            (
                Array("\"a\" = \"".utf8) + [0xFF, 0x22, 0x3B],
                "1:7: the text is not valid UTF-8; save the file as UTF-8 or UTF-16"
            ),
            ([0xFF, 0xFE, 0x22], "the document ends inside a UTF-16 character; it was truncated"),
            ([0xFF, 0xFE, 0x00, 0xDC], "half of a UTF-16 surrogate pair is missing; save the document as UTF-8"),
            (Array("bplist00nonsense".utf8), nil),
        ] as [([UInt8], String?)] {
            do throws(PropertyListError) {
                _ = try Self.table(bytes)
                Issue.record("it was read")
            } catch {
                if let expected { #expect(error.description == expected) }
            }
        }
    }

    @Test("has at most 200,000 keys")
    func mostKeys() throws {
        var table = StringsTable(
            Dictionary(uniqueKeysWithValues: (1..<StringsTable.mostKeys).map { ("\($0)", "") }))
        try table.set("0", to: "last")
        try table.set("0", to: "again")
        #expect(table.texts.count == 200_000)
        #expect(throws: PropertyListError(reason: "the file has more than 200000 keys; split it")) {
            try table.set("a", to: "")
        }
    }

    @Test("of any length is read in linear time, whatever it holds")
    func hostile() throws {
        let million = String(repeating: "x", count: 1_000_000)
        #expect(try Self.table("\(million) = \"\(million)\";".utf8).count == 1)
        #expect(throws: PropertyListError.self) { try Self.table("/*\(million)".utf8) }
        #expect(throws: PropertyListError.self) { try Self.table("\"\(million)".utf8) }
        // One line of many entries and escapes, whose column is counted only for an error.
        let entries = String(repeating: #""a"="\n\\\U0041";"#, count: 100_000)
        #expect(try Self.table(entries.utf8) == ["a": "\n\\A"])
        let deep = String(repeating: "<array>", count: 100_000)
        #expect(throws: PropertyListError.self) { try Self.table("<plist>\(deep)".utf8) }
    }
}
