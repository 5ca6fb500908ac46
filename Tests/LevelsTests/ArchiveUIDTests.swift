import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// A keyed archive's UID in formats that lack a type for it: a dictionary of the one key `CF$UID`, as Apple writes it.
@Suite struct ArchiveUIDTests {
    private static func item(_ field: Value) -> Value {
        .array([.dictionary([Value.Entry("Title", .string("a")), Value.Entry("U", field), Value.Entry("V", field)])])
    }

    @Test(
        "An integer under CF$UID alone is a UID, in XML and JSON, in a field and within its containers",
        arguments: [0, 7, 127, 128, 65_536, 1 << 63, .max] as [UInt64])
    func uid(_ number: UInt64) throws {
        let xml = "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
        let json = "{\"CF$UID\":\(number)}"
        let expected = try Self.item(.array([.uid(number)])).tree().document.hash
        let title = "<key>Title</key><string>a</string>"
        #expect(
            try Document.tree(
                "<array><dict>\(title)<key>U</key><array>\(xml)</array><key>V</key><array>\(xml)</array></dict></array>"
            ).document.hash == expected)
        #expect(try Document.tree(#"[{"Title":"a","U":[\#(json)],"V":[\#(json)]}]"#).document.hash == expected)
        let plain = try Self.item(.uid(number)).tree().document.hash
        #expect(try Document.tree(#"[{"Title":"a","U":\#(json),"V":\#(json)}]"#).document.hash == plain)
        #expect(
            try Outline.of(Document.anyTree(#"{"a":\#(json),"b":1}"#))
                == "Root {}\n  a {\"Value\":\(json)}\n  b {\"Value\":1}")
        #expect(try Document.anyTree(json).document.hash == Value.uid(number).anyTree().document.hash)
    }

    @Test(
        "Any other dictionary stays one",
        arguments: [
            #"{"CF$UID":-1}"#, #"{"CF$UID":1.0}"#, #"{"CF$UID":"1"}"#, #"{"CF$UID":true}"#, #"{"CF$UID":[1]}"#,
            #"{"CF$UID":1,"a":2}"#, #"{"a":2,"CF$UID":1}"#, #"{"CF$UIE":1}"#, #"{"cf$uid":1}"#, #"{"a":1}"#, "{}",
            #"{"CF$UID":{"CF$UID":1}}"#,
        ])
    func dictionary(_ text: String) throws {
        var reader = ValueReader()
        try Document.read(text, into: &reader)
        let value = try #require(reader.values.first)
        let level = try #require(try Self.item(value).tree().document.child(0))
        #expect(try Outline.fields(of: 0, in: level) == #"{"Title":"a","U":\#(text),"V":\#(text)}"#)
        #expect(try value.anyTree().document.child(0) != nil || text == "{}")
    }

    @Test("Of two entries CF$UID the last counts, as of any entries with one key")
    func repeated() throws {
        let twice = #"{"CF$UID":1,"CF$UID":2}"#
        #expect(
            try Document.tree(#"[{"Title":"a","U":\#(twice),"V":\#(twice)}]"#).document.hash
                == Self.item(.uid(2)).tree().document.hash)
        #expect(try Document.anyTree(twice).document.hash == Value.uid(2).anyTree().document.hash)
    }

    @Test("A UID counts as one item in shape any, in whatever format it is written")
    func limit() {
        let limits = TreeLimits(items: 2)
        #expect(Document.anyRefusal(of: #"[{"CF$UID":1},5]"#, limits: limits) == nil)
        #expect(
            Document.anyRefusal(of: #"[{"CF$UID":1},5,6]"#, limits: limits)
                == "1:17: in /: the document holds more than 2 items; split it, or raise MaxItems")
    }
}
