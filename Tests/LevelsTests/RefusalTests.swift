import Levels
import Testing

@testable import TestDocuments

/// Documents that break a rule: the whole sentence, with its place and the path of titles to it.
@Suite struct RefusalTests {
    @Test(
        "A document without a level is refused",
        arguments: [
            Example("text", #""a""#, "1:1: the document is text"),
            Example("a number", "5", "1:1: the document is a number"),
            Example("a real", "5.5", "1:1: the document is a number"),
            Example("a Boolean", "true", "1:1: the document is a Boolean"),
            Example("a date", "<date>2001-01-01T00:00:00Z</date>", "1:7: the document is a date"),
            Example("data", "<data>AAEC</data>", "1:7: the document is data"),
            Example("an empty dictionary", "\n {}", "2:2: in /: the document is a dictionary without a level"),
            Example(
                "a dictionary of fields", #"{"a":1,"b":[]}"#, "1:1: in /: the document is a dictionary without a level"),
        ])
    func noLevel(_ example: Example) {
        let advice = "; it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
        #expect(Document.refusal(of: example.document) == example.expected + advice)
    }

    @Test(
        "An item that is none is refused where it stands",
        arguments: [
            Example(
                "without a title", "[\"a\",\n {\"Price\":5}]",
                "2:2: in /(item 2, Price '5'): an item has no 'Title'; give it one, or a 'Key'"),
            Example(
                "an empty dictionary", "[\"a\",\n {}]",
                "2:2: in /(item 2): an item has no 'Title'; give it one, or a 'Key'"),
            Example(
                "without a title, deeper", "[{\"Title\":\"a\",\"Children\":[\"b\",\n{\"Price\":5}]}]",
                "2:1: in /a/(item 2, Price '5'): an item has no 'Title'; give it one, or a 'Key'"),
            Example(
                "a number", "[\"a\",\n 5]",
                "2:2: in /: element 2 of the array is a number, but an item must be a string or a dictionary"),
            Example(
                "a Boolean", "[\n\"a\",\n true]",
                "3:2: in /: element 2 of the array is a Boolean, but an item must be a string or a dictionary"),
            Example(
                "a date", "<array>\n<date>2001-01-01T00:00:00Z</date></array>",
                "2:7: in /: element 1 of the array is a date, but an item must be a string or a dictionary"),
            Example(
                "data", "<array>\n<data>AAEC</data></array>",
                "2:7: in /: element 1 of the array is data, but an item must be a string or a dictionary"),
            Example(
                "an array after an item", "[\"a\",\n [\"b\"]]",
                "2:2: in /: an item must be a string or a dictionary, not an array; for sections every element must be an array"
            ),
            Example(
                "an array among the rows of a section", "[[\"a\",\n [\"b\"]]]",
                "2:2: in /: arrays nest at most two deep, as sections and their rows; a row is a string or a dictionary, not an array"
            ),
            Example(
                "a title that is an array", "[{\"Title\":[\"a\"]}]",
                "1:11: in /(item 1): a title must be text, a number or a date, not an array"),
            Example(
                "a title that is a dictionary", "[{\"Title\":{}}]",
                "1:11: in /(item 1): a title must be text, a number or a date, not a dictionary"),
            Example(
                "a title that is data", "<array><dict><key>Title</key>\n<data>AAEC</data></dict></array>",
                "2:7: in /(item 1): a title must be text, a number or a date, not data"),
            Example(
                "a Key that is a number", "[{\"Title\":\"a\",\"Key\":5}]",
                "1:21: in /a: a Key must be text, not a number"),
            Example(
                "a Key that is an array", "[{\"Title\":\"a\",\"Key\":[]}]",
                "1:15: in /a: a Key must be text, not an array"),
            Example(
                "a Key that is data", "<array><dict><key>Key</key><data>AAEC</data></dict></array>",
                "1:34: in /(item 1): a Key must be text, not data"),
            Example(
                "Children that are text", "[{\"Title\":\"a\",\"Children\":\"b\"}]",
                "1:26: in /a: 'Children' must be an array of items, not text"),
            Example(
                "Rows that are a number", "[{\"Title\":\"a\",\"Rows\":5}]",
                "1:22: in /a: 'Rows' must be an array of items, not a number"),
            Example(
                "Children that are a dictionary", "[{\"Title\":\"a\",\"Children\":{\"b\":[]}}]",
                "1:26: in /a: 'Children' must be an array of items, not a dictionary"),
            Example(
                "both Children and Rows", "[{\"Title\":\"a\",\"Children\":[],\n\"Rows\":[]}]",
                "2:1: in /a: the item has both 'Children' and 'Rows'; only one of them can hold its level"),
            Example(
                "both Rows and Sections", "[{\"Title\":\"a\",\"Rows\":[\"b\"],\n\"Sections\":[[\"c\"]]}]",
                "2:1: in /a: the item has both 'Rows' and 'Sections'; only one of them can hold its level"),
            Example(
                "two siblings with one Key", "[\n{\"Key\":\"k\"},\n{\"Key\":\"k\"}\n]",
                "3:1: in /: two rows have the Key 'k', row 1 on line 2 and row 2 on line 3; a Key must be unique among siblings"
            ),
            Example(
                "two siblings with one Key, deeper",
                "[{\"Title\":\"a\",\"Rows\":[\n{\"Key\":\"k\"},\n{\"Key\":\"k\"}\n]\n}]",
                "3:1: in /a: two rows have the Key 'k', row 1 on line 2 and row 2 on line 3; a Key must be unique among siblings"
            ),
        ])
    func item(_ example: Example) {
        #expect(Document.refusal(of: example.document) == example.expected)
    }

    @Test(
        "What lacks a structural name is refused with the misspelt one that it has",
        arguments: [
            Example(
                "a title in another case", "[\"a\",\n {\"Price\":5,\"title\":\"b\"}]",
                "2:2: in /(item 2, Price '5'): an item has 'title' but no 'Title'; did you mean 'Title'?"),
            Example(
                "a slip in a title", "[{\"Title\":\"a\",\"Rows\":[\n{\"Tilte\":5,\"Rows\":[\"b\"]}]}]",
                "2:1: in /a/(item 1, Tilte '5'): an item has 'Tilte' but no 'Title'; did you mean 'Title'?"),
            Example(
                "a slip in a title in another case", "[{\"titel\":\"a\"}]",
                "1:2: in /(item 1, titel 'a'): an item has 'titel' but no 'Title'; did you mean 'Title'?"),
            Example(
                "a slip in a Key", "[{\"Kye\":\"a\"}]",
                "1:2: in /(item 1, Kye 'a'): an item has 'Kye' but no 'Title' and no 'Key'; did you mean 'Key'?"),
            Example(
                "a field that cannot be a title", "[{\"title\":[\"a\"]}]",
                "1:2: in /(item 1): an item has no 'Title'; give it one, or a 'Key'"),
            Example(
                "rows in another case at the root", "\n{\"title\":\"t\",\"rows\":[\"a\"]}",
                "2:1: in /: the document is a dictionary without a level, but it has 'rows'; did you mean 'Rows'?"),
            Example(
                "a slip in the root's children", "{\"childern\":[]}",
                "1:1: in /: the document is a dictionary without a level, but it has 'childern'; did you mean 'Children'?"
            ),
            Example(
                "named sections in another case", "{\"sections\":{\"A\":[\"a\"]}}",
                "1:1: in /: the document is a dictionary without a level, but it has 'sections'; did you mean 'Sections'?"
            ),
            Example(
                "a field that cannot hold rows", "{\"rows\":5}",
                "1:1: in /: the document is a dictionary without a level; it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
            ),
        ])
    func misspelt(_ example: Example) {
        #expect(Document.refusal(of: example.document) == example.expected)
    }

    @Test("The misspelt name is among the expected ones")
    func misspeltMapped() throws {
        let names = try StructuralNames(mapping: "title=label,children=entries")
        #expect(
            Document.refusal(of: #"[{"Label":"a"}]"#, names: names)
                == "1:2: in /(item 1, Label 'a'): an item has 'Label' but no 'label'; did you mean 'label'?")
        #expect(
            Document.refusal(of: #"{"entires":["a"]}"#, names: names)
                == "1:1: in /: the document is a dictionary without a level, but it has 'entires'; did you mean 'entries'?"
        )
        #expect(
            Document.refusal(of: #"[{"title":"a"}]"#, names: names)
                == "1:2: in /(item 1, title 'a'): an item has no 'label'; give it one, or a 'Key'")
    }

    @Test(
        "Sections that are none are refused where they stand",
        arguments: [
            Example(
                "text", "{\"Sections\":\n\"a\"}",
                "2:1: in /: 'Sections' must be an array of sections or a dictionary of arrays, not text"),
            Example(
                "a number", "{\"Sections\":\n5}",
                "2:1: in /: 'Sections' must be an array of sections or a dictionary of arrays, not a number"),
            Example(
                "a section that is text", "{\"Sections\":[[\"a\"],\n\"b\"]}",
                "2:1: in /: a section must be an array or a dictionary, not text"),
            Example(
                "a section that is text, in Children", "{\"Children\":[[\"a\"],\n\"b\"]}",
                "2:1: in /: a section must be an array, not text"),
            Example(
                "a section that is a dictionary, in Children", "{\"Children\":[[\"a\"],\n{\"Rows\":[\"b\"]}]}",
                "2:1: in /: a section must be an array here; sections with their own Title go into 'Sections'"),
            Example(
                "an array among the rows of a section", "{\"Sections\":[[\"a\",\n [\"b\"]]]}",
                "2:2: in /: an array appears among the rows of a section; a row is a string or a dictionary"),
            Example(
                "an array among the rows of a named section", "{\"Sections\":{\"A\":[\"a\",\n [\"b\"]]}}",
                "2:2: in /: an array appears among the rows of a section; a row is a string or a dictionary"),
            Example(
                "a section with two lists", "{\"Sections\":[{\"Rows\":[\"a\"],\n\"Children\":[\"b\"]}]}",
                "2:1: in /: the section has a second list of rows, 'Children'; only one is allowed"),
            Example(
                "a section whose rows are text", "{\"Sections\":[{\"Title\":\"A\",\n\"Rows\":\"a\"}]}",
                "2:8: in /: 'Rows' must be an array of items, not text"),
            Example(
                "a section whose rows are a dictionary", "{\"Sections\":[{\"Title\":\"A\",\n\"Rows\":{}}]}",
                "2:8: in /: 'Rows' must be an array of items, not a dictionary"),
            Example(
                "a section whose rows are a number", "{\"Sections\":[{\"Title\":\"A\",\n\"Rows\":5}]}",
                "2:8: in /: 'Rows' must be an array of items, not a number"),
            Example(
                "a number among the rows of a section", "{\"Sections\":[{\"Rows\":[\"a\",\n5]}]}",
                "2:1: in /: element 2 of the array is a number, but an item must be a string or a dictionary"),
            Example(
                "a section's title that is an array", "{\"Sections\":[{\"Title\":[],\"Rows\":[]}]}",
                "1:23: in /: a title must be text, a number or a date, not an array"),
            Example(
                "a section's title that is data",
                "<dict><key>Sections</key><array><dict><key>Title</key><data>AA==</data></dict></array></dict>",
                "1:61: in /: a title must be text, a number or a date, not data"),
            Example(
                "a named section that is text", "{\"Sections\":{\"A\":[\"a\"],\n\"B\":\"b\"}}",
                "2:5: in /: the section 'B' must be an array of items, not text"),
            Example(
                "a named section that is a dictionary", "{\"Sections\":{\"A\":[\"a\"],\n\"B\":{\"Rows\":[]}}}",
                "2:5: in /: the section 'B' must be an array of items"),
            Example(
                "SectionKeys that are text", "{\"SectionKeys\":\"A\",\"Sections\":{}}",
                "1:16: in /: 'SectionKeys' must be an array of names, not text"),
            Example(
                "SectionKeys that are a dictionary", "{\"SectionKeys\":{},\"Sections\":{}}",
                "1:16: in /: 'SectionKeys' must be an array of names, not a dictionary"),
            Example(
                "SectionKeys of arrays", "{\"SectionKeys\":[[\"A\"]],\"Sections\":{\"A\":[\"a\"]}}",
                "1:46: in /: 'SectionKeys' must contain only text"),
            Example(
                "SectionTitles that are a number", "{\"SectionTitles\":5,\"Sections\":[]}",
                "1:18: in /: 'SectionTitles' must be an array of titles, not a number"),
            Example(
                "a name that Sections lacks", "{\"SectionKeys\":[\"A\",\"C\"],\n\"Sections\":{\"A\":[\"a\"]}\n}",
                "2:12: in /: 'SectionKeys' names 'C' but 'Sections' does not contain it; name each section once"),
            Example(
                "a name that comes twice",
                "[{\"Title\":\"t\",\"SectionKeys\":[\"A\",\"A\"],\n\"Sections\":{\"A\":[\"a\"]}\n}]",
                "2:12: in /t: 'SectionKeys' names 'A' twice; name each section once"),
            Example(
                "two rows with one Key", "{\"Title\":\"t\",\n\"Sections\":[[{\"Key\":\"k\"}],[{\"Key\":\"k\"}]]\n}",
                "2:28: in /: two rows have the Key 'k', row 1 on line 2, column 14 and row 2 on line 2, column 28; a Key must be unique among siblings"
            ),
        ])
    func section(_ example: Example) {
        #expect(Document.refusal(of: example.document) == example.expected)
    }

    @Test(
        "Two rows with one Key are named by their titles and lines, however far apart they are",
        arguments: [
            Example(
                "in a short level",
                "[{\"Title\":\"Apple\",\"Key\":\"k\"},\"Plum\",\n\n{\"Key\":\"k\",\"Title\":\"Pear\"}]",
                "3:1: in /: two rows have the Key 'k', 'Apple' on line 1 and 'Pear' on line 3; \(Self.eachItsOwn)"),
            Example(
                "beside a title that is the same",
                "[\"k\",\n{\"Title\":\"Apple\",\"Key\":\"k\"},\n{\"Key\":\"k\",\"Title\":\"Pear\"}]",
                "3:1: in /: two rows have the Key 'k', 'Apple' on line 2 and 'Pear' on line 3; \(Self.eachItsOwn)"),
            Example(
                "in a long level",
                "[{\"Title\":\"Apple\",\"Key\":\"k\"},\n\(Self.plums)\n{\"Key\":\"k\",\"Title\":\"Pear\"}]",
                "42:1: in /: two rows have the Key 'k', 'Apple' on line 1 and 'Pear' on line 42; \(Self.eachItsOwn)"),
            Example(
                "with texts that control a terminal",
                "[{\"Title\":\"\\u001bApple\",\"Key\":\"\\u0007\"},\n{\"Key\":\"\\u0007\",\"Title\":\"Pear\\n\"}]",
                #"2:1: in /: two rows have the Key '\u{7}', '\u{1B}Apple' on line 1 and 'Pear\u{A}' on line 2; \#(Self.eachItsOwn)"#
            ),
        ])
    func sharedKey(_ example: Example) {
        #expect(Document.refusal(of: example.document) == example.expected)
    }

    private static let eachItsOwn = "a Key must be unique among siblings"
    private static let plums = (0..<40).map { "\"Plum \($0)\"," }.joined(separator: "\n")
}
