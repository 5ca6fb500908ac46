import Levels
import PropertyLists
import Testing

@testable import DatabaseTrees

/// The column `fields`: written from an item, and read again.
@Suite struct FieldsTests {
    /// The fields of the root of a document.
    private func fields(_ value: PropertyListValue) throws -> String {
        var builder = TreeBuilder()
        var walk = PropertyListValueWalk(value)
        try walk.finish(to: &builder)
        let document = try builder.finish().document
        return String(decoding: try FieldsWriter.fields(of: Item.Step(level: document, row: 0)), as: UTF8.self)
    }

    private func dictionary(_ entries: KeyValuePairs<String, PropertyListValue>) -> PropertyListValue {
        .dictionary(PropertyListDictionary(entries.map { .init(key: $0, value: $1) }))
    }

    @Test func hasNullInPlaceOfRows() throws {
        #expect(try fields(.array([.string("a")])) == "null")
        #expect(try fields(.array([.array([.string("a")]), .array([])])) == "[null,null]")
        let list = dictionary(["Title": .string("T"), "Rows": .array([.string("a")]), "Note": .string("n")])
        #expect(try fields(list) == #"{"Title":"T","Rows":null,"Note":"n"}"#)
        #expect(try fields(dictionary(["Title": .string("T"), "Rows": .array([])])) == #"{"Title":"T","Rows":[]}"#)
    }

    @Test func hasNullInPlaceOfTheRowsOfSections() throws {
        let list = dictionary([
            "Title": .string("T"),
            "Sections": .array([dictionary(["Title": .string("One"), "Rows": .array([.string("a")])]), .array([])]),
        ])
        #expect(try fields(list) == #"{"Title":"T","Sections":[{"Title":"One","Rows":null},null]}"#)
        let hidden = dictionary(["Title": .string("h"), "Rows": .array([.string("y")])])
        let named = dictionary([
            "Title": .string("T"),
            "Sections": dictionary([
                "C": .array([.string("c")]), "A": .array([]), "hidden": .array([.string("x"), hidden]),
            ]),
            "SectionKeys": .array([.string("A"), .string("C")]),
        ])
        let json =
            #"{"Title":"T","Sections":{"C":null,"A":null,"hidden":["x",{"Title":"h","Rows":["y"]}]},"SectionKeys":["A","C"]}"#
        #expect(try fields(named) == json)
    }

    @Test func hasTheTypesThatJSONLacks() throws {
        let value = dictionary([
            "Title": .string("T"), "Rows": .array([]), "When": .date(6_048_000), "Data": .data([1, 2]),
            "None": .array([.real(.nan), .real(.infinity), .real(-.infinity)]), "One": .real(1),
            "Link": .uid(3), "Own": dictionary(["$date": .string("x")]), "Sign": dictionary(["$": .string("x")]),
            "Bare": dictionary(["": .string("x")]), "Two": dictionary(["$a": .uid(1), "$b": .data([])]),
        ])
        let text = try fields(value)
        #expect(
            text
                == #"{"Title":"T","Rows":[],"When":{"$date":"2001-03-12T00:00:00Z"},"Data":{"$data":"AQI="},"None":[{"$real":"nan"},{"$real":"+infinity"},{"$real":"-infinity"}],"One":1.0,"Link":{"CF$UID":3},"Own":{"$dict":{"$date":"x"}},"Sign":{"$dict":{"$":"x"}},"Bare":{"":"x"},"Two":{"$a":{"CF$UID":1},"$b":{"$data":""}}}"#
        )
        #expect(try self.fields(PropertyListValue(json: Array(text.utf8)).decoded()) == text)
        let negative = dictionary(["CF$UID": .integer(.init(-1 as Int64))])
        for (json, value) in [
            (#"{"$real":"infinity"}"#, .real(.infinity)), (#"{"CF$UID":3}"#, .uid(3)), (#"{"CF$UID":-1}"#, negative),
        ] as [(String, PropertyListValue)] {
            #expect(try PropertyListValue(json: Array(json.utf8)).decoded() == value)
        }
    }

    @Test func areInBlocksThatAreAsLargeAsAllBlocksBefore() {
        var rows = ItemRows()
        for (id, count) in [3_000, 3_000, 3_000, 3_000, 20 << 20, 5_000].enumerated() {
            rows.add(
                ItemPlace(id: Int64(id), parent: 0, section: 0, position: 0), text: [UInt8](repeating: 0, count: count))
        }
        let sizes = rows.blocks.map(\.capacity)
        // Memory comes in pages.
        #expect(sizes.map { $0 / 4_096 * 4_096 } == [4_096, 4_096, 8_192, 20 << 20, 8 << 20], "\(sizes)")
    }

    @Test(arguments: [
        #"{"$date":"yesterday"}"#, #"{"$date":"2001-03-12"}"#, #"{"$date":"0001-01-01T00:00:00+01:00"}"#,
        #"{"$data":"%"}"#, #"{"$real":"1"}"#, #"{"$other":1}"#,
    ])
    func refusesAnUnknownType(_ json: String) throws {
        let value = try PropertyListValue(json: Array(json.utf8))
        #expect(throws: PropertyListError.self) { try value.decoded() }
    }
}
