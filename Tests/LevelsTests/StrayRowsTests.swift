import Levels
import Testing

@testable import TestDocuments

/// Fields that contain rows which are not served, because the field's name is not structural.
@Suite struct StrayRowsTests {
    private static let from = "rows are read from 'Children' or 'Rows'"

    @Test(
        "A field that holds rows is warned of, in an item and in a section",
        arguments: [
            Example(
                "children in another case, with a slip", "[{\"Title\":\"a\",\n\"childern\":[{\"Title\":\"b\"}]}]",
                "2:12: in /a: 'childern' is kept as a field; did you mean 'Children'?"),
            Example(
                "the same, of texts", "[{\"Title\":\"a\",\n\"childern\":[\"b\"]}]",
                "2:12: in /a: 'childern' is kept as a field; did you mean 'Children'?"),
            Example(
                "the same, empty", "[{\"Title\":\"a\",\n\"childern\":[]}]",
                "2:12: in /a: 'childern' is kept as a field; did you mean 'Children'?"),
            Example(
                "a slip in sections of arrays", "[{\"Title\":\"a\",\n\"sectoins\":[[\"b\"]]}]",
                "2:12: in /a: 'sectoins' is kept as a field; did you mean 'Sections'?"),
            Example(
                "child", "[{\"Title\":\"a\",\n\"child\":[{\"Title\":\"b\"}]}]",
                "2:9: in /a: 'child' holds dictionaries with a title but is kept as a field; \(from)"),
            Example(
                "Kids, before the title", "[{\n\"Kids\":[{\"Title\":\"b\"}],\"Title\":\"a\"}]",
                "2:8: in /(item 1): 'Kids' holds dictionaries with a title but is kept as a field; \(from)"),
            Example(
                "subitems, the first of them a text",
                "[{\"Title\":\"a\",\n\"subitems\":[\"x\",{\"N\":1,\"Title\":\"b\"}]}]",
                "2:12: in /a: 'subitems' holds dictionaries with a title but is kept as a field; \(from)"),
            Example(
                "at the root, beside rows", "{\"Rows\":[\"a\"],\n\"Kids\":[{\"Title\":\"b\"}]}",
                "2:8: in /: 'Kids' holds dictionaries with a title but is kept as a field; \(from)"),
            Example(
                "in XML",
                "<array><dict><key>Title</key><string>a</string>\n<key>Kids</key>"
                    + "<array><dict><key>Title</key><integer>5</integer></dict></array></dict></array>",
                "2:16: in /a: 'Kids' holds dictionaries with a title but is kept as a field; \(from)"),
            Example(
                "in a section",
                "[{\"Title\":\"a\",\"Sections\":[{\"Title\":\"A\",\n\"Kids\":[{\"Title\":\"b\"}]},[\"c\"]]}]",
                "2:8: in /a: 'Kids' holds dictionaries with a title but is kept as a field; \(from)"),
            Example(
                "a slip in a section",
                "[{\"Title\":\"a\",\"Sections\":[{\"Title\":\"A\",\n\"rosw\":[\"b\"]},[\"c\"]]}]",
                "2:8: in /a: 'rosw' is kept as a field; did you mean 'Rows'?"),
            Example(
                "in two items",
                "[{\"Title\":\"a\",\n\"Kids\":[{\"Title\":\"b\"}]},{\"Title\":\"c\",\"Kids\":[{\"Title\":\"d\"}]}]",
                "2:8: in /a: 'Kids' holds dictionaries with a title but is kept as a field, here and in 1 more place; \(from)"
            ),
        ])
    func warned(_ example: Example) throws {
        let warnings = try Document.tree(example.document).warnings
        #expect(warnings.first.map(\.description) == [example.expected])
        #expect(warnings.omitted == 0)
    }

    @Test(
        "A list that no level could be made of is a field without a warning",
        arguments: [
            #"[{"Title":"a","Tags":["x","y"]}]"#, #"[{"Title":"a","Links":[{"URL":"x"}]}]"#,
            #"[{"Title":"a","Kids":[{"Title":["x"]}]}]"#, #"[{"Title":"a","Kids":[]}]"#,
            #"[{"Title":"a","Kids":[[{"Title":"b"}]]}]"#, #"[{"Title":"a","F":{"Kids":[{"Title":"b"}]}}]"#,
            #"[{"Title":"a","chidlren":{"Title":"b"}}]"#, #"[{"Title":"a","childern":5}]"#,
            #"[{"Title":"a","childern":[1,2]}]"#, #"[{"Title":"a","titels":["x"]}]"#,
        ])
    func silent(_ document: String) throws {
        #expect(try Document.tree(document).warnings.first.map(\.description) == [])
    }

    @Test(
        "A list of dictionaries holds rows if one of the first four has a title of text, a number, a date or a Boolean",
        arguments: [
            ("<string>t</string>", true), ("<integer>5</integer>", true), ("<integer>-5</integer>", true),
            ("<real>0.5</real>", true),
            ("<date>2001Z</date>", true), ("<true/>", true), ("<false/>", true), ("<data>AAAA</data>", false),
            ("<array/>", false),
            ("<dict/>", false),
        ])
    func titles(_ title: String, _ isTitle: Bool) throws {
        for (before, isSeen) in [(0, true), (3, true), (4, false)] {
            let document =
                "<array><dict><key>Title</key><string>a</string><key>Kids</key><array>"
                + String(repeating: "<dict><key>N</key><true/></dict>", count: before)
                + "<dict><key>N</key>\(title)<key>Title</key>\(title)</dict></array></dict></array>"
            let warnings = try Document.tree(document).warnings.first.map(\.message)
            let sentence = "'Kids' holds dictionaries with a title but is kept as a field; \(Self.from)"
            #expect(warnings == (isTitle && isSeen ? [sentence] : []))
        }
    }

    @Test("Mapped names are used for reading rows and titles")
    func mapped() throws {
        let names = try StructuralNames(mapping: "title=name,children=entries")
        let tree = try Document.tree(
            #"[{"name":"a","Rows":[{"name":"b"}]},{"name":"c","Kids":[{"Title":"d"}]},{"name":"e","Entires":["f"]}]"#,
            names: names)
        #expect(
            tree.warnings.first.map(\.description) == [
                "1:21: in /a: 'Rows' holds dictionaries with a title but is kept as a field; rows are read from 'entries'",
                "1:95: in /e: 'Entires' is kept as a field; did you mean 'entries'?",
            ])
    }

    @Test("Fields of one name are one warning, which comes first and is kept whatever else is odd")
    func many() throws {
        let slips = (0..<150).map { #"{"Title":"s\#($0)","Childern":1}"# }
        let kids = (0..<2_498).map { #"{"Title":"\#($0)","Kids":[{"Title":"x"}]}"# }
        let warnings = try Document.tree("[" + (slips + kids).joined(separator: ",\n") + "]").warnings
        #expect(
            warnings.first.first?.description
                == "151:21: in /0: 'Kids' holds dictionaries with a title but is kept as a field, here and in 2497 more places; \(Self.from)"
        )
        #expect(warnings.first.count == 100)
        #expect(warnings.omitted == 51)
    }

    @Test("Twenty names are distinguished, and the fields of all others are counted")
    func manyNames() throws {
        let kids = (0..<30).map { #"{"Title":"\#($0)","Kids \#($0)":[{"Title":"x"}]}"# }
        let warnings = try Document.tree(
            "["
                + (kids + kids.map { $0.replacing("Title\":\"", with: "Title\":\"_") })
                .joined(separator: ",") + "]"
        ).warnings
        #expect(warnings.first.count == 20)
        #expect(warnings.first.allSatisfy { $0.message.contains("here and in 1 more place") })
        #expect(warnings.omitted == 20)
    }
}
