import Levels
import Testing

@testable import TestDocuments

/// Which parts of a tree XML can carry is known of each, so that nothing else is refused as XML.
@Suite struct TextBeyondXMLTests {
    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        let document: String
        /// The titles of the items with a level that XML cannot carry.
        let levels: Set<String>
        /// The titles of the rows whose own fields XML cannot carry.
        let rows: Set<String>
        init(_ name: String, _ document: String, levels: Set<String>, rows: Set<String>) {
            self.name = name
            self.document = document
            self.levels = levels
            self.rows = rows
        }
        var testDescription: String { name }
    }

    private static let bad = #"\u0001"#

    @Test(
        "Text that XML cannot carry marks the level it stands in and all above, and no other",
        arguments: [
            Place("nowhere", #"[{"Title":"a","Rows":["b"]}]"#, levels: [], rows: []),
            Place(
                "in a field before the children", #"[{"Title":"a","F":"\#(bad)","Rows":[{"Title":"b","Rows":["c"]}]}]"#,
                levels: ["Root"], rows: ["a"]),
            Place(
                "in a field after the children",
                #"[{"Title":"a","Rows":[{"Title":"b","Rows":["c"]}],"F":["\#(bad)"]}]"#,
                levels: ["Root"], rows: ["a"]),
            Place(
                "in the name of a field", #"[{"Title":"a","\#(bad)":1,"Rows":[{"Title":"b","Rows":["c"]}]}]"#,
                levels: ["Root"], rows: ["a"]),
            Place(
                "in a sibling before", #"[{"Title":"x","F":{"G":"\#(bad)"}},{"Title":"a","Rows":["b"]}]"#,
                levels: ["Root"], rows: ["x"]),
            Place(
                "in a string", #"[{"Title":"a","Rows":["b\#(bad)"]},{"Title":"c","Rows":["d"]}]"#,
                levels: ["Root", "a"], rows: ["b\u{1}"]),
            Place(
                "in an overridden field", #"[{"Title":"a","F":"\#(bad)","F":1,"Rows":["b"]}]"#, levels: [],
                rows: []),
            Place(
                "in a section's title",
                #"[{"Title":"a","Sections":[{"Title":"\#(bad)","Rows":[{"Title":"b","Rows":["c"]}]}]}]"#,
                levels: ["Root", "a"], rows: []),
            Place(
                "in a section's field after its rows",
                #"[{"Title":"a","Sections":[{"Rows":[{"Title":"b","Rows":["c"]}],"F":"\#(bad)"}]}]"#,
                levels: ["Root", "a"],
                rows: []),
            Place(
                "in a section's name", #"[{"Title":"a","Sections":{"A":[{"Title":"b","Rows":["c"]}],"\#(bad)":[]}}]"#,
                levels: ["Root", "a"], rows: []),
            Place(
                "in SectionTitles",
                #"[{"Title":"a","SectionTitles":["\#(bad)"],"Sections":[[{"Title":"b","Rows":["c"]}]]}]"#,
                levels: ["Root"], rows: ["a"]),
            Place("in the root's fields", #"{"F":"\#(bad)","Rows":["a"]}"#, levels: [], rows: ["Root"]),
            Place("U+FFFE", "[{\"Title\":\"a\",\"Rows\":[\"\u{FFFE}\"]}]", levels: ["Root", "a"], rows: ["\u{FFFE}"]),
        ])
    func marked(_ place: Place) throws {
        var levels: Set<String> = []
        var rows: Set<String> = []
        var waiting = [try Document.tree(place.document).document]
        while let level = waiting.popLast() {
            for row in 0..<level.count {
                if level.holdsTextBeyondXML(inRow: row) { rows.insert(level.title(row)) }
                guard let below = level.child(row) else { continue }
                waiting.append(below)
                if below.holdsTextBeyondXML { levels.insert(level.title(row)) }
            }
        }
        #expect(levels == place.levels)
        #expect(rows == place.rows)
    }

    @Test("In shape any, too, a level is marked only for items in or below it")
    func anyShape() throws {
        let document = try Document.anyTree(#"{"\#(Self.bad)":{"a":[1]},"b":["\#(Self.bad)",["c"]],"d":["e"]}"#)
            .document
        let root = try #require(document.child(0))
        #expect(root.holdsTextBeyondXML)
        #expect((0..<root.count).map { root.child($0)?.holdsTextBeyondXML } == [false, true, false])
        let b = try #require(root.child(1))
        #expect((0..<b.count).map { b.holdsTextBeyondXML(inRow: $0) } == [true, false])
        #expect((0..<b.count).map { b.child($0)?.holdsTextBeyondXML } == [nil, false])
    }

    @Test(
        "In shape any, the names of a dictionary are content of its level",
        arguments: [
            (#"{"\#(bad)":1}"#, true), (#"{"a":1,"\#(bad)":{"b":[1]}}"#, true), (#"{"a":{"b":1}}"#, false),
            (#"{"a":{"\#(bad)":1}}"#, true),
        ])
    func names(document: String, isMarked: Bool) throws {
        #expect(try Document.anyTree(document).document.child(0)?.holdsTextBeyondXML == isMarked)
    }

    @Test("A date with a fraction of a second counts like text that XML cannot carry")
    func fractions() throws {
        let whole = Value.dictionary([Value.Entry("Title", .string("a")), Value.Entry("At", .date(5))])
        let fraction = Value.dictionary([Value.Entry("Title", .string("b")), Value.Entry("At", .array([.date(5.5)]))])
        let level = try #require(try Value.array([whole, fraction]).tree().document.child(0))
        #expect(level.holdsTextBeyondXML)
        #expect((0..<2).map { level.holdsTextBeyondXML(inRow: $0) } == [false, true])
    }
}
