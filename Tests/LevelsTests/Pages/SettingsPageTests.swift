import Bytes
import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Settings pages as trees (manual, Settings pages).
@Suite("A settings page") struct SettingsPageTests {
    @Test(
        "is a level of its specifiers, in the sections that its groups begin",
        arguments: [
            Example(
                "leaves",
                #"{"PreferenceSpecifiers":[{"Type":"PSToggleSwitchSpecifier","Title":"Sound","Key":"sound"}]}"#,
                #"Root {}|  [-]|  sound (Sound) {"Type":"PSToggleSwitchSpecifier","Title":"Sound","Key":"sound"}"#),
            Example(
                "the root has its own title, whatever the page says",
                #"{"Title":"T","PreferenceSpecifiers":[{"Title":"A"}]}"#,
                #"Root {"Title":"T"}|  [-]|  A {"Title":"A"}"#),
            Example(
                "groups",
                #"{"PreferenceSpecifiers":[{"Title":"A"},{"Type":"PSGroupSpecifier","Title":"G","FooterText":"F"},{"Title":"B"},{"Type":"PSGroupSpecifier"},{"Title":"C"}]}"#,
                #"Root {}|  [-]|  A {"Title":"A"}|  [G footer=F]|  B {"Title":"B"}|  [-]|  C {"Title":"C"}"#),
            Example(
                "a group without anything to show is left out, one with a title or a footer is not",
                #"{"PreferenceSpecifiers":[{"Type":"PSGroupSpecifier"},{"Type":"PSGroupSpecifier","Title":""},{"Type":"PSGroupSpecifier","FooterText":"F"},{"Type":"PSGroupSpecifier"},{"Title":"A"}]}"#,
                #"Root {}|  []|  [- footer=F]|  [-]|  A {"Title":"A"}"#),
            Example(
                "a radio group's rows are its choices",
                #"{"PreferenceSpecifiers":[{"Type":"PSRadioGroupSpecifier","Title":"Tone","Key":"t","Titles":["Bell",2],"Values":["bell",20]}]}"#,
                #"Root {}|  [Tone]|  Bell {"Title":"Bell","Value":"bell"}|  2 {"Title":"2","Value":20}"#),
            Example(
                "choices without titles are titled by their values, and of two lengths the shorter counts",
                #"{"PreferenceSpecifiers":[{"Type":"PSRadioGroupSpecifier","Values":["a",1]},{"Type":"PSRadioGroupSpecifier","Titles":["x"],"Values":[1,2]}]}"#,
                #"Root {}|  [-]|  a {"Title":"a","Value":"a"}|  1 {"Title":"1","Value":1}|  [-]|  x {"Title":"x","Value":1}"#
            ),
            Example(
                "keys come from Key, then from the title, and may be shared",
                #"{"PreferenceSpecifiers":[{"Title":"A","Key":"k"},{"Title":"B","Key":"k"},{"Title":"A"},{},{"Type":"PSTitleValueSpecifier"}]}"#,
                #"Root {}|  [-]|  k (A) {"Title":"A","Key":"k"}|  k~2 (B) {"Title":"B","Key":"k"}|  A {"Title":"A"}|  ~1 () {}|  ~1~2 () {"Type":"PSTitleValueSpecifier"}"#
            ),
            Example(
                "a title may be a number", #"{"PreferenceSpecifiers":[{"Title":7}]}"#,
                #"Root {}|  [-]|  7 {"Title":7}"#),
            Example("none", #"{"PreferenceSpecifiers":[{"Type":"PSGroupSpecifier","Title":"G"}]}"#, "Root {}|  [G]"),
            Example(
                "an item's own PreferenceSpecifiers are a field",
                #"[{"Title":"a","PreferenceSpecifiers":[{"Title":"b"}]}]"#,
                #"Root {}|  a {"Title":"a","PreferenceSpecifiers":[{"Title":"b"}]}"#),
        ])
    func level(_ example: Example) throws {
        let lines = try Outline.of(Document.tree(example.document)).replacing("\n", with: "|")
        #expect(lines == example.expected)
    }

    @Test(
        "is refused at the place of what is wrong",
        arguments: [
            Example(
                "no array", "{\"PreferenceSpecifiers\":\n{}}",
                "2:1: in /: 'PreferenceSpecifiers' must be an array of specifiers, not a dictionary"),
            Example(
                "no dictionary", "{\"PreferenceSpecifiers\":[\n\"a\"]}",
                "1:2: in /: element 1 of 'PreferenceSpecifiers' must be a specifier, which is a dictionary"),
            Example(
                "no text", "{\"PreferenceSpecifiers\":[{},\n{\"Title\":[]}]}",
                "2:1: in /: element 2 of 'PreferenceSpecifiers': a title must be text, a number or a date"),
            Example(
                "a second level", "{\"Rows\":[],\n\"PreferenceSpecifiers\":[]}",
                "2:1: in /: the root has both 'Rows' and 'PreferenceSpecifiers'; only one of them can hold its level"),
        ])
    func refusal(_ example: Example) {
        #expect(Document.refusal(of: example.document) == example.expected)
    }

    @Test("counts its rows as items")
    func limit() {
        let page = #"{"PreferenceSpecifiers":[{"Type":"PSRadioGroupSpecifier","Values":[1,2,3]}]}"#
        #expect(
            Document.refusal(of: page, limits: TreeLimits(items: 2))
                == "1:2: in /: the document holds more than 2 items; split it, or raise MaxItems")
    }

    @Test("is written again as it was read")
    func document() throws {
        let text =
            #"{"StringsTable":"Root","PreferenceSpecifiers":[{"Type":"PSGroupSpecifier"},{"Title":"A","Key":"k","Values":[1]},{"Type":"PSRadioGroupSpecifier","Values":[true]}],"Z":1}"#
        let tree = try Document.tree(text)
        var writer = JSONPropertyListWriter()
        var walk = TreeWalk(level: tree.document, row: 0)
        try walk.finish(to: &writer)
        #expect(String(utf8: writer.output.span) == text)
    }

    @Test("gives the targets of its child panes")
    func childPanes() throws {
        let text =
            "{\"PreferenceSpecifiers\":[{\"Title\":\"A\"},\n{\"Type\":\"PSChildPaneSpecifier\",\"Title\":\"B\",\"File\":\"Sub\"},\n {\"Type\":\"PSChildPaneSpecifier\"}],\"Other\":[{},\n{}],\"StringsTable\":\"T\"}"
        let page = try #require(SettingsPage(try Document.tree(text)))
        #expect(page.stringsTable == "T")
        #expect(
            page.childPanes == [
                SettingsPage.ChildPane(row: 1, file: "Sub", title: "B", position: .text(line: 2, column: 1)),
                SettingsPage.ChildPane(row: 2, file: nil, title: "", position: .text(line: 3, column: 2)),
            ])
        #expect(SettingsPage(try Document.tree("[]")) == nil)
    }

    @Test("shows its texts in another language, under the same keys")
    func translation() throws {
        let text =
            #"{"PreferenceSpecifiers":[{"Type":"PSGroupSpecifier","Title":"G","FooterText":"F"},{"Title":"A","Key":"k"},{"Title":"B"},{"Title":"C"},{"Title":""},{"Type":"PSRadioGroupSpecifier","Titles":["B"],"Values":["b"]}]}"#
        let page = try #require(SettingsPage(try Document.tree(text)))
        let texts = ["G": "Gruppe", "F": "Fuß", "A": "Ä", "B": "Bé", "": "never"]
        let level = page.level.translated { texts[$0] }
        let document = try Document.tree(text).replacing(level: level, translations: nil).document
        #expect(
            try Outline.of(document).replacing("\n", with: "|")
                == #"Root {}|  [Gruppe footer=Fuß]|  k (Ä) {"Title":"A","Key":"k"}|  B (Bé) {"Title":"B"}|  C {"Title":"C"}|  ~1 () {"Title":""}|  [-]|  B~2 (Bé) {"Title":"B","Value":"b"}"#
        )
        #expect((0..<level.count).map { level.row(withKey: Array(level.key($0).utf8).span) } == [0, 1, 2, 3, 4])
        #expect(page.level.translated { _ in nil } === page.level)
        #expect(page.level.translated { $0 }.hash != level.hash)
    }

    @Test("of many rows finds each by its key in another language")
    func manyRows() throws {
        let specifiers = (0..<40).map { #"{"Title":"T\#($0)"}"# }.joined(separator: ",")
        let page = try #require(SettingsPage(try Document.tree(#"{"PreferenceSpecifiers":[\#(specifiers)]}"#)))
        let level = page.level.translated { $0 + "!" }
        for row in 0..<40 {
            #expect(level.row(withKey: Array("T\(row)".utf8).span) == row)
            #expect(level.title(row) == "T\(row)!")
        }
    }
}
