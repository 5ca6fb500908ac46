import Bytes
import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// What values a control can have (manual, Settings pages).
@Suite("A control") struct ControlCheckTests {
    /// A specifier, accepted values of its control, and refused values with their refusals.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let specifier: String
        let taken: [String]
        let refused: [(value: String, sentence: String)]
        /// The allowed values that every refusal names, as JSON.
        let allowed: String

        var testDescription: String { name }
    }

    private static let cases = [
        Case(
            name: "a switch", specifier: #"{"Type":"PSToggleSwitchSpecifier"}"#, taken: ["true", "false"],
            refused: [
                ("1", "'Value' must be true or false, not 1."),
                (#""YES""#, "'Value' must be true or false, not 'YES'."),
                ("[true]", "'Value' must be true or false, not an array."),
            ], allowed: "[true,false]"),
        Case(
            name: "a switch between two words",
            specifier: #"{"Type":"PSToggleSwitchSpecifier","TrueValue":"YES","FalseValue":"NO"}"#,
            taken: [#""YES""#, #""NO""#],
            refused: [
                ("true", "'Value' must be 'YES' or 'NO', not true."),
                (#""yes""#, "'Value' must be 'YES' or 'NO', not 'yes'."),
            ], allowed: #"["YES","NO"]"#),
        Case(
            name: "a switch between two numbers",
            specifier: #"{"Type":"PSToggleSwitchSpecifier","TrueValue":1,"FalseValue":0}"#, taken: ["1", "0", "1.0"],
            refused: [("true", "'Value' must be 1 or 0, not true."), ("2", "'Value' must be 1 or 0, not 2.")],
            allowed: "[1,0]"),
        Case(
            name: "a slider", specifier: #"{"Type":"PSSliderSpecifier","MinimumValue":-2,"MaximumValue":10.5}"#,
            taken: ["-2", "10.5", "0", "7.25"],
            refused: [
                ("-2.1", "'Value' must be a number from -2 to 10.5, not -2.1."),
                ("11", "'Value' must be a number from -2 to 10.5, not 11."),
                (#""5""#, "'Value' must be a number from -2 to 10.5, not '5'."),
                ("true", "'Value' must be a number from -2 to 10.5, not true."),
            ], allowed: #"[{"min":-2,"max":10.5}]"#),
        Case(
            name: "a slider without bounds", specifier: #"{"Type":"PSSliderSpecifier","MaximumValue":"x"}"#,
            taken: ["0", "1", "0.5"], refused: [("2", "'Value' must be a number from 0 to 1, not 2.")],
            allowed: #"[{"min":0,"max":1}]"#),
        Case(
            name: "a slider with large bounds",
            specifier: #"{"Type":"PSSliderSpecifier","MaximumValue":9007199254740993}"#, taken: ["9007199254740993"],
            refused: [
                ("9007199254740994", "'Value' must be a number from 0 to 9007199254740993, not 9007199254740994.")
            ], allowed: #"[{"min":0,"max":9007199254740993}]"#),
        Case(
            name: "a choice",
            specifier: #"{"Type":"PSMultiValueSpecifier","Titles":["A","B","C"],"Values":[1,"two",true]}"#,
            taken: ["1", "1.0", #""two""#, "true"],
            refused: [
                ("2", "'Value' must be one of 1, 'two' and true, not 2."),
                (#""A""#, "'Value' must be one of 1, 'two' and true, not 'A'."),
                ("{}", "'Value' must be one of 1, 'two' and true, not a dictionary."),
            ], allowed: #"[1,"two",true]"#),
        Case(
            name: "a choice among many",
            specifier: #"{"Type":"PSMultiValueSpecifier","Values":[1,2,3,4,5,6,7,8,9,10,11]}"#, taken: ["11"],
            refused: [
                ("12", "'Value' must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (11 values), not 12.")
            ], allowed: "[1,2,3,4,5,6,7,8,9,10,11]"),
        Case(
            name: "a choice of none", specifier: #"{"Type":"PSMultiValueSpecifier"}"#, taken: [],
            refused: [("1", "'Value' cannot be set, because the control has no values.")], allowed: "[]"),
        Case(
            name: "a row of a radio group",
            specifier: #"{"Type":"PSRadioGroupSpecifier","Key":"k","Titles":["A","B"],"Values":["a","b"]}"#,
            taken: [#""a""#, #""b""#], refused: [(#""A""#, "'Value' must be 'a' or 'b', not 'A'.")],
            allowed: #"["a","b"]"#),
        Case(
            name: "a text field", specifier: #"{"Type":"PSTextFieldSpecifier"}"#, taken: [#""""#, #""é日😀""#, #""5""#],
            refused: [
                ("5", "'Value' must be text, not 5."),
                (#""a\u0001""#, "'Value' must be text without control characters; it contains U+0001."),
                (#""a\nb""#, "'Value' must be text without control characters; it contains U+000A."),
                (#""\u0085""#, "'Value' must be text without control characters; it contains U+0085."),
                (#""\uffff""#, "'Value' must be text without control characters; it contains U+FFFF."),
            ], allowed: #"["text without control characters"]"#),
        Case(
            name: "a text field for numbers", specifier: #"{"Type":"PSTextFieldSpecifier","KeyboardType":"NumberPad"}"#,
            taken: [#""42""#, #""007""#, #""-1.5""#, #""+7""#, "42", "1.5"],
            refused: [
                (#""abc""#, "'Value' must be a number, because the keyboard is 'NumberPad', not 'abc'."),
                (#""4 2""#, "'Value' must be a number, because the keyboard is 'NumberPad', not '4 2'."),
                (#""1.2.3""#, "'Value' must be a number, because the keyboard is 'NumberPad', not '1.2.3'."),
                (#""""#, "'Value' must be a number, because the keyboard is 'NumberPad', not ''."),
                ("true", "'Value' must be a number, because the keyboard is 'NumberPad', not true."),
            ], allowed: #"["a number"]"#),
        Case(
            name: "a text field for decimals",
            specifier: #"{"Type":"PSTextFieldSpecifier","KeyboardType":"DecimalPad"}"#, taken: [#""1.5""#],
            refused: [(#""x""#, "'Value' must be a number, because the keyboard is 'DecimalPad', not 'x'.")],
            allowed: #"["a number"]"#),
        Case(
            name: "a text field for digits",
            specifier: #"{"Type":"PSTextFieldSpecifier","KeyboardType":"ASCIICapableNumberPad"}"#, taken: [#""15""#],
            refused: [
                (#""x""#, "'Value' must be a number, because the keyboard is 'ASCIICapableNumberPad', not 'x'.")
            ], allowed: #"["a number"]"#),
        Case(
            name: "a text field with digits and punctuation",
            specifier: #"{"Type":"PSTextFieldSpecifier","KeyboardType":"NumbersAndPunctuation"}"#,
            taken: [#""192.168.0.1""#], refused: [("1", "'Value' must be text, not 1.")],
            allowed: #"["text without control characters"]"#),
        Case(
            name: "a title", specifier: #"{"Type":"PSTitleValueSpecifier"}"#, taken: [#""x""#, "1", "1.5", "true"],
            refused: [
                ("[]", "'Value' must be a text, a number or a Boolean, not an array."),
                (#""\u0000""#, "'Value' must be text without control characters; it contains U+0000."),
            ], allowed: #"["text without control characters","a number",true,false]"#),
        Case(
            name: "a title for values", specifier: #"{"Type":"PSTitleValueSpecifier","Titles":["A"],"Values":["a"]}"#,
            taken: [#""a""#], refused: [(#""b""#, "'Value' must be 'a', not 'b'.")], allowed: #"["a"]"#),
        Case(
            name: "a checkbox", specifier: #"{"Type":"Checkbox"}"#, taken: ["true", "false"],
            refused: [("0", "'Value' must be true or false, not 0.")], allowed: "[true,false]"),
    ]

    @Test("takes the values that it can show, and lists them", arguments: cases)
    func check(_ example: Case) throws {
        let page = try Document.tree(#"{"PreferenceSpecifiers":[\#(example.specifier)]}"#)
        let control = try #require(page.document.child(0)?.control(ofRow: 0))
        for value in example.taken {
            #expect(throws: Never.self) { try ControlCheck.check(try Self.value(value), for: control) }
        }
        for (value, sentence) in example.refused {
            let refusal = try #require(throws: EditRefusal.self) {
                try ControlCheck.check(try Self.value(value), for: control)
            }
            #expect(refusal.detail == sentence)
            guard case .notAllowed(let allowed, pointer: "/Value") = refusal.kind else {
                Issue.record("\(refusal.kind)")
                continue
            }
            #expect(try Self.json(.array(allowed)) == example.allowed)
        }
    }

    @Test("outside of a settings page is checked alike")
    func plainControls() throws {
        let level = try #require(
            try Document.tree(
                #"[{"Title":"a","Type":"Slider","MaximumValue":5},{"Title":"b"},{"Title":"c","Type":"Button"}]"#
            ).document.child(0))
        let slider = try #require(level.control(ofRow: 0))
        let refusal = try #require(throws: EditRefusal.self) {
            try ControlCheck.check(try Self.value("6"), for: slider)
        }
        #expect(refusal.detail == "'Value' must be a number from 0 to 5, not 6.")
        #expect(level.control(ofRow: 1) == nil)
        let button = try #require(level.control(ofRow: 2))
        #expect(throws: Never.self) { try ControlCheck.check(.string("pressed"), for: button) }
    }

    @Test("stores a choice as the page has it, and keeps the type of a number")
    func storedTypes() throws {
        let page = try Document.tree(
            #"{"PreferenceSpecifiers":[{"Type":"PSMultiValueSpecifier","Values":[1,2]},{"Type":"PSSliderSpecifier","DefaultValue":0.5,"MaximumValue":1e30},{"Type":"PSSliderSpecifier","DefaultValue":1,"MaximumValue":9}]}"#
        )
        let level = try #require(page.document.child(0))
        func stored(_ row: Int, _ value: PropertyListValue, isExact: Bool = false) throws -> PropertyListValue {
            try ControlCheck.stored(value, for: try #require(level.control(ofRow: row)), isExact: isExact)
        }
        let two = PropertyListValue.integer(PropertyListInteger(2 as Int64))
        #expect(try stored(0, .real(2)) == two)
        #expect(try stored(1, two) == .real(2))
        #expect(try stored(1, two, isExact: true) == two)
        #expect(try stored(2, two) == two)
        #expect(try stored(2, .real(2.5)) == .real(2.5))
    }

    @Test("accepts a choice that is a date by its text")
    func dates() throws {
        let xml =
            "<plist><dict><key>PreferenceSpecifiers</key><array><dict><key>Type</key><string>PSMultiValueSpecifier</string><key>Values</key><array><date>2001-01-02T00:00:00Z</date></array></dict></array></dict></plist>"
        let control = try #require(try Document.tree(xml).document.child(0)?.control(ofRow: 0))
        let stored = try ControlCheck.stored(.string("2001-01-02T01:00:00+01:00"), for: control, isExact: false)
        #expect(stored == .date(86_400))
        let refusal = try #require(throws: EditRefusal.self) { try ControlCheck.check(.string("x"), for: control) }
        #expect(refusal.detail == "'Value' must be 2001-01-02T00:00:00Z, not 'x'.")
    }

    static func value(_ json: String) throws -> PropertyListValue {
        var builder = PropertyListValueBuilder()
        try Document.read(json, into: &builder)
        return try #require(builder.value)
    }

    static func json(_ value: PropertyListValue) throws -> String {
        var writer = JSONPropertyListWriter()
        try value.tell(to: &writer)
        return String(utf8: writer.output.span)
    }
}
