import Levels
import Testing

@testable import TestDocuments

/// The three ways in which sections are written (manual, Documents).
@Suite struct SectionTests {
    @Test(
        "Sections are read from an array of dictionaries",
        arguments: [
            Example(
                "with all members", #"{"Sections":[{"Title":"A","Index":"a","Footer":"f","Rows":["x"]}]}"#,
                "[A index=a footer=f]\nx"),
            Example("with no title", #"{"Sections":[{"Rows":["x"]},{"Rows":["y"]}]}"#, "[-]\nx\n[-]\ny"),
            Example("with an empty title", #"{"Sections":[{"Title":"","Rows":["x"]}]}"#, "[]\nx"),
            Example("with Children for Rows", #"{"Sections":[{"Title":"A","Children":["x"]}]}"#, "[A]\nx"),
            Example(
                "with the title last", #"{"Sections":[{"Rows":["x"],"Footer":"f","Title":"A"}]}"#, "[A footer=f]\nx"),
            Example(
                "with an empty section between",
                #"{"Sections":[{"Title":"A","Rows":["x"]},{"Title":"B","Rows":[]},["y"]]}"#,
                "[A]\nx\n[B]\n[-]\ny"),
            Example("without rows", #"{"Sections":[{"Title":"A"},["y"]]}"#, "[A]\n[-]\ny"),
            Example(
                "with fields of a section's own", #"{"Sections":[{"Title":"A","Color":{"R":1},"Rows":["x"]}]}"#,
                "[A]\nx"),
            Example(
                "with a number for a title", #"{"Sections":[{"Title":5,"Index":2.5,"Footer":true,"Rows":["x"]}]}"#,
                "[5 index=2.5 footer=true]\nx"),
            Example(
                "with items below", #"{"Sections":[{"Title":"A","Rows":[{"Title":"x","Children":["z"]},"y"]}]}"#,
                "[A]\nx {\"Title\":\"x\"}\n  z\ny"),
        ])
    func dictionaries(_ example: Example) throws { try check(example) }

    @Test(
        "Sections are read from an array of arrays, with titles beside it",
        arguments: [
            Example("without titles", #"{"Sections":[["x"],["y","z"]]}"#, "[-]\nx\n[-]\ny\nz"),
            Example("with titles", #"{"Sections":[["x"],["y"]],"SectionTitles":["A","B"]}"#, "[A]\nx\n[B]\ny"),
            Example("with titles first", #"{"SectionTitles":["A","B"],"Sections":[["x"],["y"]]}"#, "[A]\nx\n[B]\ny"),
            Example("with too few titles", #"{"Sections":[["x"],["y"]],"SectionTitles":["A"]}"#, "[A]\nx\n[-]\ny"),
            Example("with too many titles", #"{"Sections":[["x"]],"SectionTitles":["A","B"]}"#, "[A]\nx"),
            Example(
                "with numbers for titles", #"{"Sections":[["x"],["y"]],"SectionTitles":[1,2.5]}"#, "[1]\nx\n[2.5]\ny"),
            Example("as Children", #"{"Children":[["x"],["y"]]}"#, "[-]\nx\n[-]\ny"),
            Example("as Rows with titles", #"{"Rows":[["x"],["y"]],"SectionTitles":["A","B"]}"#, "[A]\nx\n[B]\ny"),
            Example("with an empty one", #"{"Sections":[[],["y"]],"SectionTitles":["A","B"]}"#, "[A]\n[B]\ny"),
            Example(
                "beside a dictionary, which keeps its own title",
                #"{"Sections":[["x"],{"Title":"Own","Rows":["y"]}],"SectionTitles":["A","B"]}"#, "[A]\nx\n[Own]\ny"),
        ])
    func arrays(_ example: Example) throws { try check(example) }

    @Test(
        "Sections are read from a dictionary of arrays, in the order of SectionKeys",
        arguments: [
            Example("in document order", #"{"Sections":{"B":["x"],"A":["y"]}}"#, "[B]\nx\n[A]\ny"),
            Example(
                "in the order of SectionKeys", #"{"Sections":{"B":["x"],"A":["y"]},"SectionKeys":["A","B"]}"#,
                "[A]\ny\n[B]\nx"),
            Example(
                "with SectionKeys first", #"{"SectionKeys":["A","B"],"Sections":{"B":["x"],"A":["y"]}}"#,
                "[A]\ny\n[B]\nx"),
            Example(
                "one that is not listed is not shown",
                #"{"Sections":{"A":["x"],"B":["y"],"C":["z"]},"SectionKeys":["C","A"]}"#,
                "[C]\nz\n[A]\nx"),
            Example("an empty one is shown", #"{"Sections":{"A":[],"B":["y"]}}"#, "[A]\n[B]\ny"),
            Example("an empty name", #"{"Sections":{"":["x"]}}"#, "[]\nx"),
            Example(
                "a number for a name", #"{"Sections":{"1":["x"],"2":["y"]},"SectionKeys":[2,1]}"#, "[2]\ny\n[1]\nx"),
            Example(
                "with items below, which go along",
                #"""
                {"SectionKeys":["B","A"],"Sections":{"A":[{"Title":"x","Children":["1"]}],
                 "B":["y",{"Title":"z","Children":["2","3"]}]}}
                """#, "[B]\ny\nz {\"Title\":\"z\"}\n  2\n  3\n[A]\nx {\"Title\":\"x\"}\n  1"),
        ])
    func named(_ example: Example) throws { try check(example) }

    @Test("The lists of names and titles are no fields, and the item's own fields stand around them")
    func namesAreNoFields() throws {
        let document = #"["a",{"A":1,"SectionKeys":["S"],"B":2,"Sections":{"S":["x"]},"Title":"t","SectionTitles":[]}]"#
        #expect(
            try Outline.of(Document.tree(document))
                == "Root {}\n  a\n  t {\"A\":1,\"B\":2,\"Title\":\"t\"}\n    [S]\n    x")
    }

    @Test(
        "An item all of whose sections are empty is a leaf",
        arguments: [
            #"{"Sections":[]}"#, #"{"Sections":{}}"#, #"{"Sections":[[],[]]}"#, #"{"Sections":[{"Title":"A"}]}"#,
            #"{"Sections":{"A":["x"],"B":[]},"SectionKeys":["B"]}"#, #"{"Children":[[],[]]}"#,
        ])
    func emptySections(_ document: String) throws {
        let tree = try Document.tree(document)
        let level = try #require(tree.document.child(0))
        #expect(level.count == 0)
        #expect(level.sections.isEmpty)
        #expect(tree.itemCount == 0)
        #expect(tree.warnings.first.map(\.message) == ["all sections are empty, so the item is a leaf"])
    }

    @Test("Tens of thousands of named sections are put into the order of SectionKeys, the last of each name")
    func manyNamedSections() throws {
        let names = (0..<20_000).map { "section \($0)" }
        let early = names.map { Value.Entry($0, .array([.string("early")])) }
        let late = names.map { Value.Entry($0, .array([.string("row of \($0)")])) }
        let document = Value.dictionary([
            Value.Entry("Sections", .dictionary(early + late)),
            Value.Entry("SectionKeys", .array(names.reversed().map(Value.string))),
        ])
        let level = try #require(try document.tree().document.child(0))
        #expect(level.sections.map(\.title) == names.reversed())
        #expect((0..<level.count).map(level.title) == names.reversed().map { "row of \($0)" })
    }

    @Test("Rows of hidden sections cannot be found, and do not compete for keys")
    func hiddenRows() throws {
        let document = #"{"Sections":{"A":["x","y"],"B":["x"]},"SectionKeys":["B"]}"#
        let level = try #require(try Document.tree(document).document.child(0))
        #expect((0..<level.count).map(level.key) == ["x"])
        #expect(level.row(withKey: Array("x".utf8).span) == 0)
        #expect(level.row(withKey: Array("y".utf8).span) == nil)
        #expect(level.row(withKey: Array("x~2".utf8).span) == nil)
        #expect(level.itemCount == 1)
    }

    @Test("Rows of all shown sections share one list of keys")
    func keysAcrossSections() throws {
        let level = try #require(try Document.tree(#"[["x","y"],["x"],["y","x"]]"#).document.child(0))
        #expect((0..<level.count).map(level.key) == ["x", "y", "x~2", "y~2", "x~3"])
        #expect(level.sections.map(\.start) == [0, 2, 3])
        #expect(level.sections.map(\.count) == [2, 1, 2])
    }

    private func check(_ example: Example) throws {
        let lines = example.expected.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        #expect(try Outline.of(Document.tree(example.document)) == "Root {}\n" + lines)
    }
}
