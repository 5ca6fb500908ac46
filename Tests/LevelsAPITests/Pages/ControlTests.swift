import Testing

@testable import TestDocuments

/// `control`, in rows and details (manual, Settings pages).
@Suite("A control") struct ControlTests {
    /// The control of each row, one a line; `-` for a row without one.
    private static func controls(_ document: String) throws -> [String] {
        let rows = try Desk(document).get("/levels/?fields=").line
        return rows.split(separator: #""fields":{}"#, omittingEmptySubsequences: false).dropFirst().map { rest in
            guard rest.hasPrefix(#","control":"#) else { return "-" }
            let text = rest.dropFirst(#","control":"#.count)
            let end = text.firstRange(of: "}},{\"key\"") ?? text.firstRange(of: "}}],\"next\"")
            return String(text[..<(end?.lowerBound ?? text.endIndex)]) + "}"
        }
    }

    private static func page(_ specifier: String) -> String { #"{"PreferenceSpecifiers":[\#(specifier)]}"# }

    @Test(
        "of a settings page tells what its specifier says",
        arguments: [
            Example(
                "a switch", #"{"Type":"PSToggleSwitchSpecifier","Title":"A","Key":"a","DefaultValue":true}"#,
                #"{"type":"ToggleSwitch","key":"a","value":true,"trueValue":true,"falseValue":false}"#),
            Example(
                "a switch with values of its own",
                #"{"Type":"PSToggleSwitchSpecifier","Key":"a","DefaultValue":"on","TrueValue":"on","FalseValue":"off"}"#,
                #"{"type":"ToggleSwitch","key":"a","value":"on","trueValue":"on","falseValue":"off"}"#),
            Example(
                "a text field",
                #"{"Type":"PSTextFieldSpecifier","Key":"a","IsSecure":true,"KeyboardType":"NumberPad"}"#,
                #"{"type":"TextField","key":"a","value":null,"secure":true,"keyboard":"NumberPad"}"#),
            Example(
                "a secret, by a text", #"{"Type":"PSTextFieldSpecifier","IsSecure":"YES"}"#,
                #"{"type":"TextField","key":null,"value":null,"secure":true}"#),
            Example(
                "no secret, by the text of a number", #"{"Type":"PSTextFieldSpecifier","IsSecure":"0"}"#,
                #"{"type":"TextField","key":null,"value":null,"secure":false}"#),
            Example(
                "a slider",
                #"{"Type":"PSSliderSpecifier","Key":"a","DefaultValue":0.5,"MinimumValue":0,"MaximumValue":1.5}"#,
                #"{"type":"Slider","key":"a","value":0.5,"min":0,"max":1.5}"#),
            Example(
                "a choice of values",
                #"{"Type":"PSMultiValueSpecifier","Key":"a","DefaultValue":2,"Titles":["One","Two"],"Values":[1,2]}"#,
                #"{"type":"MultiValue","key":"a","value":2,"options":[{"title":"One","value":1},{"title":"Two","value":2}]}"#
            ),
            Example(
                "a value", #"{"Type":"PSTitleValueSpecifier","Key":"a","DefaultValue":"1.0","Tag":3}"#,
                #"{"type":"TitleValue","key":"a","value":"1.0","tag":3}"#),
            Example(
                "another kind, under its name", #"{"Type":"IASKButtonSpecifier","Title":"A"}"#,
                #"{"type":"IASKButton","key":null,"value":null}"#),
            Example("no type", #"{"Title":"A","Key":"a"}"#, #"{"type":"","key":"a","value":null}"#),
            Example("a child pane is none", #"{"Type":"PSChildPaneSpecifier","Title":"A","File":"A"}"#, "-"),
        ])
    func specifier(_ example: Example) throws {
        #expect(try Self.controls(Self.page(example.document)) == [example.expected])
    }

    @Test("of a radio group is each of its choices")
    func radioGroup() throws {
        let group =
            #"{"Type":"PSRadioGroupSpecifier","Key":"tone","DefaultValue":"b","Titles":["Bell","Horn"],"Values":["b","h"]}"#
        #expect(
            try Self.controls(Self.page(group)) == [
                #"{"type":"RadioGroup","key":"tone","value":"b","choice":"b"}"#,
                #"{"type":"RadioGroup","key":"tone","value":"b","choice":"h"}"#,
            ])
    }

    @Test(
        "outside of a settings page is an item or the rows of a section with such a Type",
        arguments: [
            Example(
                "a switch", #"[{"Title":"A","Type":"ToggleSwitch","Key":"a","Value":false}]"#,
                #"{"type":"ToggleSwitch","key":"a","value":false,"trueValue":true,"falseValue":false}"#),
            Example(
                "a button, by its key alone", #"[{"Key":"go","Type":"Button"}]"#,
                #"{"type":"Button","key":"go","value":null}"#),
            Example(
                "a choice of values", #"[{"Title":"A","Type":"MultiValue","Value":1,"Values":[1]}]"#,
                #"{"type":"MultiValue","key":null,"value":1,"options":[{"title":"1","value":1}]}"#),
            Example(
                "a type that is no control", #"[{"Title":"A","Type":"toggleSwitch"},{"Title":"B","Type":[1]},"C"]"#,
                "-|-|-"),
            Example(
                "a radio group",
                #"{"Sections":[{"Type":"RadioGroup","Key":"k","Value":2,"Rows":[{"Title":"A","Value":1},"B"]}]}"#,
                #"{"type":"RadioGroup","key":"k","value":2,"choice":1}|{"type":"RadioGroup","key":"k","value":2,"choice":"B"}"#
            ),
            Example(
                "check boxes, with the type after the rows",
                #"{"Sections":[{"Rows":[{"Title":"A","Key":"a","Value":true}],"Type":"Checkbox"},["B"]]}"#,
                #"{"type":"Checkbox","key":"a","value":true}|-"#),
            Example(
                "rows of a value",
                #"{"Sections":[{"Type":"Multirow","Key":"k","Rows":["A",{"Title":"B","Value":7}]}]}"#,
                #"{"type":"Multirow","key":"k","value":"A"}|{"type":"Multirow","key":"k","value":7}"#),
            Example(
                "a row of a group with a type of its own keeps it",
                #"{"Sections":[{"Type":"Checkbox","Rows":[{"Title":"A","Type":"TextField","Value":"x"}]}]}"#,
                #"{"type":"TextField","key":null,"value":"x"}"#),
        ])
    func outside(_ example: Example) throws {
        #expect(try Self.controls(example.document).joined(separator: "|") == example.expected)
    }

    @Test("stands after the fields, in a row and in a detail, and is not one of them")
    func place() throws {
        let desk = try Desk(#"[{"Title":"A","Type":"Slider","Value":1,"MaximumValue":2}]"#)
        #expect(
            desk.get("/levels/?fields=*").shape.contains(
                #""href":"/detail/A","fields":{"Title":"A","Type":"Slider","Value":1,"MaximumValue":2},"control":{"type":"Slider","key":null,"value":1,"max":2}}]"#
            ))
        #expect(
            desk.get("/detail/A").shape.hasSuffix(
                #""fields":{"Title":"A","Type":"Slider","Value":1,"MaximumValue":2},"control":{"type":"Slider","key":null,"value":1,"max":2}}"#
            ))
        #expect(
            desk.get("/document/A?format=json").line == #"{"Title":"A","Type":"Slider","Value":1,"MaximumValue":2}"#)
        #expect(desk.get("/levels/?format=plist&fields=").text.contains("<key>control</key>"))
    }

    @Test("counts as part of the shown row: with it, the row's version changes")
    func version() throws {
        func section(_ value: Int) -> String {
            #"{"Sections":[{"Type":"RadioGroup","Value":\#(value),"Rows":["A"]}]}"#
        }
        let one = try Desk(section(1))
        let two = try Desk.snapshot(section(2))
        let before = one.get("/levels/")
        one.api.publish(Desk.snapshot(try Document.tree(section(2)), revision: "k3-2"))
        #expect(one.get("/levels/").text != before.text)
        #expect(one.get("/levels/").text == Desk(two).get("/levels/").text)
        #expect(
            one.get("/changes?since=k3-1").line.contains(#""levels":["/levels/"],"details":["/detail/A"]"#))
    }
}
