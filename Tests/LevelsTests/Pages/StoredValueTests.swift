import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// The values that a settings page shows in place of its defaults (manual, Settings pages).
@Suite("A settings page with stored values") struct StoredValueTests {
    private static let page =
        #"{"PreferenceSpecifiers":[{"Type":"PSToggleSwitchSpecifier","Title":"On","Key":"on","DefaultValue":true},{"Type":"PSTextFieldSpecifier","Key":"name"},{"Type":"PSRadioGroupSpecifier","Key":"r","DefaultValue":"a","Values":["a","b"]},{"Type":"PSTitleValueSpecifier","Title":"None"},{"Type":"PSChildPaneSpecifier","Title":"Sub","Key":"name","File":"Sub"}]}"#

    private func level() throws -> Level { try #require(try Document.tree(Self.page).document.child(0)) }

    /// The values that the rows show, as JSON; `-` for a row that is not a control.
    private func values(_ level: Level) throws -> [String] {
        try (0..<level.count).map { row in
            guard let control = level.control(ofRow: row) else { return "-" }
            return try control["value"].map(ControlCheckTests.json) ?? "none"
        }
    }

    private func showing(
        _ json: String, unusable: (UnusableValue) -> Void = { Issue.record("\($0)") }
    ) throws -> Level {
        guard case .dictionary(let values) = try ControlCheckTests.value(json) else { return try level() }
        return try level().showing(values, unusable: unusable)
    }

    @Test("shows them in every row with their key, and the defaults in the others")
    func showing() throws {
        #expect(try values(level()) == ["true", "none", #""a""#, #""a""#, "none", "-"])
        let shown = try showing(#"{"on":false,"name":"Ann","r":"b","other":[1]}"#)
        #expect(try values(shown) == ["false", #""Ann""#, #""b""#, #""b""#, "none", "-"])
        #expect(
            try ControlCheckTests.json(.dictionary(try #require(shown.control(ofRow: 1))))
                == #"{"type":"TextField","key":"name","value":"Ann"}"#)
        let (before, after) = (try Outline.of(level()), try Outline.of(shown))
        #expect(before == after)
        #expect(shown.row(withKey: Array("name".utf8).span) == 1)
        #expect(shown.rowsHoldParts == (try level().rowsHoldParts))
    }

    @Test("is the page itself if nothing else shows")
    func same() throws {
        let level = try level()
        #expect(level.showing(PropertyListDictionary()) === level)
        #expect(try showing(#"{"x":1}"#).hash == level.hash)
        #expect(try showing(#"{"on":true}"#).hash == level.hash)
        #expect(try showing(#"{"on":false}"#).hash != level.hash)
    }

    @Test("shows the default for a value that the control cannot have, and warns once")
    func unusable() throws {
        var told: [UnusableValue] = []
        let shown = try showing(#"{"on":1,"name":"a\nb","r":"c"}"#) { told.append($0) }
        #expect(try values(shown) == ["true", "none", #""a""#, #""a""#, "none", "-"])
        #expect(
            told == [
                UnusableValue(key: "on", objection: "must be true or false, not 1"),
                UnusableValue(
                    key: "name", objection: "must be text without control characters; it contains U+000A"),
                UnusableValue(key: "r", objection: "must be 'a' or 'b', not 'c'"),
            ])
    }

    @Test("keeps them in another language")
    func translated() throws {
        let shown = try showing(#"{"on":false,"r":"b"}"#).translated { $0 == "On" ? "An" : nil }
        #expect(shown.title(0) == "An")
        #expect(try values(shown) == ["false", "none", #""b""#, #""b""#, "none", "-"])
    }

    @Test("of many radio rows is made in a time that is linear in them")
    func manyRows() throws {
        let choices = (0..<20_000).map { "\($0)" }.joined(separator: ",")
        let page = #"{"PreferenceSpecifiers":[{"Type":"PSRadioGroupSpecifier","Key":"r","Values":[\#(choices)]}]}"#
        let level = try #require(try Document.tree(page).document.child(0))
        let shown = level.showing(
            PropertyListDictionary([
                PropertyListDictionary.Entry(key: "r", value: .integer(PropertyListInteger(19_999 as Int64)))
            ]))
        #expect(shown.count == 20_000)
        #expect(shown.hash != level.hash)
    }
}
