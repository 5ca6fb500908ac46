import Levels
import Testing

@testable import TestDocuments

/// Documents that are read but probably mistaken: the whole warning, with its position and the path of titles.
@Suite struct WarningTests {
    private static let longTitle = String(repeating: "ä", count: 10_000)
    private static let keyEach = "give each a Key, or their paths end in ~2, ~3, …"

    @Test(
        "A document that is probably not what was meant is read with a warning",
        arguments: [
            Example(
                "a slip in Children", "[{\"Title\":\"a\",\n \"Childern\":[]}]",
                "2:2: in /a: 'Childern' is kept as a field; did you mean 'Children'?"),
            Example(
                "a slip in a title's case", "[{\"title\":\"a\",\n \"Title\":\"b\"}]",
                "1:3: in /(item 1): 'title' is kept as a field; did you mean 'Title'?"),
            Example(
                "a slip at the root", "{\"Rows\":[\"a\"],\n \"sections\":5}",
                "2:2: in /: 'sections' is kept as a field; did you mean 'Sections'?"
            ),
            Example(
                "a slip deeper", "[{\"Title\":\"a\",\"Rows\":[{\"Title\":\"b\",\"Keyy\":5}]}]",
                "1:36: in /a/b: 'Keyy' is kept as a field; did you mean 'Key'?"),
            Example(
                "an empty list of children", "[{\"Title\":\"a\",\n \"Children\":[]}]",
                "2:13: in /a: the list of children is empty, so the item is a leaf; omit the key if that is intended"),
            Example(
                "an empty list at the root", "{\"Rows\":\n[]}",
                "2:1: in /: the list of children is empty, so the item is a leaf; omit the key if that is intended"),
            Example(
                "empty sections", "[{\"Title\":\"a\",\"Sections\":\n[[],[]]}]",
                "2:1: in /a: all sections are empty, so the item is a leaf"),
            Example(
                "rows of one title", "[{\"Title\":\"t\",\"Rows\":\n[\"a\",\"a\",\"b\",\"a\"]}]",
                "2:6: in /t: 3 rows have the title 'a', the first on line 2, column 2; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "rows of one title at the root", "\n[\"a\",\"b\",\n\"a\"]",
                "3:1: in /: 2 rows have the title 'a', the first on line 2; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "rows of one title after NFC", "[\"e\u{301}\",\"\u{E9}\"]",
                "1:8: in /: 2 rows have the title 'é', the first on line 1, column 2; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "the most frequent of two titles", "[\"a\",\"b\",\"b\",\"a\",\"b\"]",
                "1:10: in /: 3 rows have the title 'b', the first on line 1, column 6; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "rows of one title in two sections", "{\"Sections\":\n[[\"a\"],\n[\"a\"]]}",
                "3:2: in /: 2 rows have the title 'a', the first on line 2; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "a title that is the Key before it", "[{\"Key\":\"k\",\"Title\":\"x\"},\n\"k\"]",
                "2:1: in /: 2 rows have the title 'k', the first on line 1; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "a title that is the Key after it", "[\"k\",\n{\"Key\":\"k\",\"Title\":\"x\"}]",
                "2:1: in /: 2 rows have the title 'k', the first on line 1; give each a Key, or their paths end in ~2, ~3, …"
            ),
            Example(
                "a key that stands twice", "[{\"Title\":\"a\",\"X\":1,\n \"X\":2}]",
                "2:2: in /a: the key 'X' appears more than once in one dictionary, first on line 1; the last one counts"
            ),
            Example(
                "a title that stands twice", "[{\"Title\":\"a\",\n \"Title\":\"b\"}]",
                "2:2: in /a: the key 'Title' appears more than once in one dictionary, first on line 1; the last one counts"
            ),
            Example(
                "a key that stands twice within a field", "[{\"Title\":\"a\",\"F\":{\"X\":1, \"X\":2}}]",
                "1:27: in /a: the key 'X' appears more than once in one dictionary, first on line 1, column 20; the last one counts"
            ),
            Example(
                "a title and a key that control a terminal",
                "[{\"Title\":\"a\\u001b[2J\",\"X\\u009b\":1,\n\"X\\u009b\":2}]",
                #"2:1: in /a\u{1B}[2J: the key 'X\u{9B}' appears more than once in one dictionary, first on line 1; the last one counts"#
            ),
            Example(
                "a title of ten thousand characters", "[\"\(Self.longTitle)\",\n\"\(Self.longTitle)\"]",
                "2:1: in /: 2 rows have the title '\(Self.longTitle.prefix(80))…', the first on line 1; \(Self.keyEach)"
            ),
            Example(
                "a named section that stands twice", "{\"Sections\":{\"A\":[\"a\"],\n \"A\":[\"b\"]}}",
                "2:6: in /: the section 'A' appears more than once; the last one counts"),
            Example(
                "a slip in a section's title", "{\"Sections\":[{\"Rows\":[\"a\"],\n\"Titel\":\"A\"}]}",
                "2:1: in /: 'Titel' is kept as a field; did you mean 'Title'?"),
            Example(
                "a section's rows in another case", "{\"Sections\":[[\"x\"],{\"Title\":\"A\",\n\"rows\":[\"a\"]}]}",
                "2:1: in /: 'rows' is kept as a field; did you mean 'Rows'?"),
            Example(
                "a slip in a section's footer", "{\"Sections\":[{\"Rows\":[\"a\"],\n\"footer\":\"f\"}]}",
                "2:1: in /: 'footer' is kept as a field; did you mean 'Footer'?"),
        ])
    func warned(_ example: Example) throws {
        let warnings = try Document.tree(example.document).warnings
        #expect(warnings.first.map(\.description) == [example.expected])
        #expect(warnings.omitted == 0)
    }

    @Test(
        "A document that means what it says is read without a warning",
        arguments: [
            "[]", #"["a","A"]"#, #"{"Title":"t","Rows":["a"]}"#, #"[{"Key":"k","Title":"a"},{"Key":"l","Title":"a"}]"#,
            #"[{"Title":"a","Text":"x","Kind":"y","Tag":1,"Value":2,"Type":"z","Image":"i","Subtitle":"s"}]"#,
            #"[{"Title":"a","F":{"title":1,"Childern":2}}]"#, #"{"Sections":[{"Title":"A","Rows":[]},["x"]]}"#,
            #"{"Sections":[{"Title":"A","Index":"i","Footer":"f","Keys":1,"Sections":2,"Rows":["x"]}]}"#,
        ])
    func silent(_ document: String) throws {
        let warnings = try Document.tree(document).warnings
        #expect(warnings.first.map(\.description) == [])
        #expect(warnings.omitted == 0)
    }

    @Test("A structural name with any one slip is warned of")
    func everySlip() throws {
        let name = Array("Children")
        var slips = [String(name.map { $0.isUppercase ? "c" : $0 }), "CHILDREN"]
        for place in name.indices {
            slips.append(String(name[..<place] + name[(place + 1)...]))
            slips.append(String(name[..<place] + "ü" + name[(place + 1)...]))
            slips.append(String(name[..<place] + "q" + name[place...]))
            guard place > 0 else { continue }
            slips.append(String(name[..<(place - 1)] + [name[place], name[place - 1]] + name[(place + 1)...]))
        }
        for slip in slips {
            let warnings = try Document.tree("[{\"Title\":\"a\",\"\(slip)\":5}]").warnings
            #expect(
                warnings.first.map(\.message) == ["'\(slip)' is kept as a field; did you mean 'Children'?"], "\(slip)")
        }
    }

    @Test("The first hundred warnings are kept, and the rest are counted")
    func many() throws {
        let rows = (0..<250).map { #"{"Title":"\#($0)","Childern":1}"# }
        let warnings = try Document.tree("[\n" + rows.joined(separator: ",\n") + "]").warnings
        #expect(
            warnings.first.map(\.description)
                == (0..<100).map {
                    "\($0 + 2):\("\($0)".count + 13): in /\($0): 'Childern' is kept as a field; did you mean 'Children'?"
                })
        #expect(warnings.omitted == 150)
    }
}
