import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// The fields that a row shows without being asked: its short values (manual, Levels).
@Suite("A row shows, without being asked,")
struct ShortValueTests {
    private func fields(_ document: String, names: StructuralNames = .init()) throws -> [String] {
        let tree = try Document.tree(document, names: names)
        return fields(of: tree)
    }

    private func fields(of tree: Tree) -> [String] {
        let line = Desk(Desk.snapshot(tree)).get("/levels/").line
        return line.matches(of: /"fields":(\{.*?\})(?:,"|\})/).map { String($0.1) }
    }

    @Test("numbers, Booleans, dates and texts of at most 256 bytes, in the order of the document")
    func kinds() throws {
        let (short, long) = (String(repeating: "é", count: 128), String(repeating: "a", count: 257))
        let document = """
            <plist><array><dict>
            <key>S</key><string>\(short)</string><key>L</key><string>\(long)</string><key>E</key><string></string>
            <key>Title</key><string>t</string><key>I</key><integer>-1</integer><key>R</key><real>0.5</real>
            <key>B</key><true/><key>D</key><date>2001-01-01T00:00:00Z</date><key>Data</key><data>AQ==</data>
            <key>A</key><array/><key>X</key><dict/><key>N</key><real>nan</real>
            </dict></array></plist>
            """
        #expect(
            try fields(document) == [
                #"{"S":"\#(short)","E":"","I":-1,"R":0.5,"B":true,"D":"2001-01-01T00:00:00Z","N":"nan"}"#
            ])
    }

    @Test(
        "not the field that gives the title, and not the key of the item",
        arguments: [
            (#"[{"Title":"a","Subtitle":"a"},"b"]"#, [#"{"Subtitle":"a"}"#, "{}"]),
            (#"[{"Title":5,"N":5},{"N":6,"Title":6}]"#, [#"{"N":5}"#, #"{"N":6}"#]),
            (#"[{"N":"","Title":""},{"Key":"k","N":"k"}]"#, [#"{"N":""}"#, #"{"N":"k"}"#]),
            (#"[{"Title":"a","Key":"a","Kind":"a"},{"Key":".","Title":"."}]"#, [#"{"Kind":"a"}"#, "{}"]),
            (#"[{"Title":"b","Children":["c"],"P":1}]"#, [#"{"P":1}"#]),
        ])
    func titles(document: String, shown: [String]) throws { #expect(try fields(document) == shown) }

    @Test("not the title and the key under other names, but another name for titles")
    func mapped() throws {
        let names = try StructuralNames(mapping: "title=name|label,key=id,children=rows")
        #expect(
            try fields(#"{"rows":[{"id":"1","label":"l","name":"n"},{"id":"2","label":3}]}"#, names: names)
                == [#"{"label":"l"}"#, "{}"])
    }

    @Test("of a record all but its title, also where that is a number, and its number is no field")
    func records() throws {
        let rows = #"[{"N":1,"Y":1},{"Y":2},{"N":3,"Title":"x"}]"#
        #expect(
            try fields(#"{"Title":"r","DrillBy":[],"TitleBy":"N","KeyBy":"Y","Records":\#(rows)}"#)
                == [#"{"Y":1}"#, #"{"Y":2}"#, #"{"Title":"x"}"#])
    }

    @Test("of a document that is read as it is the key, too, and not what titles a row")
    func natural() throws {
        func fields(_ text: String) throws -> [String] { self.fields(of: try Document.naturalTree(text)) }
        #expect(
            try fields(#"[{"id":1,"name":"a","p":{"q":1}},{"id":2,"n":2},{"name":"c"}]"#) == [
                #"{"id":1}"#, #"{"id":2,"n":2}"#, "{}",
            ])
        #expect(try fields(#"[{"Key":"k","p":{"name":"a"}},5,"t"]"#) == [#"{"Key":"k"}"#, "{}", "{}"])
    }
}
