import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Documents of any shape (`--shape any`; manual, Documents).
@Suite struct AnyShapeTests {
    @Test(
        "Each entry and each element is an item, and a scalar or empty container is a leaf with a Value",
        arguments: [
            Example("a dictionary", #"{"a":1,"b":"x"}"#, "Root {}\n  a {\"Value\":1}\n  b {\"Value\":\"x\"}"),
            Example("an array", #"["x",true]"#, "Root {}\n  0 {\"Value\":\"x\"}\n  1 {\"Value\":true}"),
            Example(
                "containers in containers", #"{"a":[{"b":2.5},[]],"c":{}}"#,
                "Root {}\n  a {}\n    0 {}\n      b {\"Value\":2.5}\n    1 {\"Value\":[]}\n  c {\"Value\":{}}"),
            Example("text as root", #""x""#, #"Root {"Value":"x"}"#),
            Example("a number as root", "-5", #"Root {"Value":-5}"#),
            Example("an empty array as root", "[]", #"Root {"Value":[]}"#),
            Example("an empty dictionary as root", "{}", #"Root {"Value":{}}"#),
            Example("data as root", "<data>AAEC</data>", #"Root {"Value":"AAEC"}"#),
            Example(
                "a date", "<array><date>2001-01-01T00:00:05Z</date></array>",
                "Root {}\n  0 {\"Value\":\"2001-01-01T00:00:05Z\"}"),
            Example(
                "structural names", #"{"Title":"t","Key":5,"Children":["a"],"Sections":{}}"#,
                "Root {}\n  Title {\"Value\":\"t\"}\n  Key {\"Value\":5}\n  Children {}\n    0 {\"Value\":\"a\"}\n  Sections {\"Value\":{}}"
            ),
            Example(
                "odd keys", #"{"":1,".":2,"..":3,"a/b":4}"#,
                "Root {}\n  ~1 () {\"Value\":1}\n  .~1 (.) {\"Value\":2}\n  ..~1 (..) {\"Value\":3}\n  a/b {\"Value\":4}"
            ),
            Example(
                "keys that only Unicode takes for equal", "{\"\u{E9}\":1,\"e\u{301}\":2}",
                "Root {}\n  \u{E9} {\"Value\":1}\n  \u{E9}~2 (e\u{301}) {\"Value\":2}"),
            Example(
                "an entry that stands twice", #"{"a":1,"b":2,"a":3}"#, "Root {}\n  a {\"Value\":3}\n  b {\"Value\":2}"),
            Example(
                "an entry that stands three times, with and without a level",
                #"{"a":{"x":1},"b":[2],"a":5,"a":[{"y":3}]}"#,
                "Root {}\n  a {}\n    0 {}\n      y {\"Value\":3}\n  b {}\n    0 {\"Value\":2}"),
        ])
    func shape(_ example: Example) throws {
        #expect(try Array(Outline.of(Document.anyTree(example.document)).utf8) == Array(example.expected.utf8))
    }

    @Test("An entry that stands twice is read with a warning")
    func repeatedEntry() throws {
        let tree = try Document.anyTree("{\"x\":\n{\"a\":1,\n\"a\":2,\"b\":0,\"b\":0}}")
        #expect(
            tree.warnings.first.map(\.description)
                == [
                    "3:1: in /x: the key 'a' appears more than once in one dictionary, first on line 2; the last one counts"
                ])
        #expect(try Document.anyTree(#"{"x":{"a":1},"y":{"a":1}}"#).warnings.first.count == 0)
    }

    @Test("A dictionary of hundreds of entries, each repeated, keeps the last of each in the first one's place")
    func wide() throws {
        let names = (0..<600).map { "key \($0)" }
        let rounds = (0..<3).flatMap { round in
            names.map { Value.Entry($0, .integer(PropertyListInteger(Int64(round)))) }
        }
        let level = try #require(try Value.dictionary(rounds).anyTree().document.child(0))
        #expect((0..<level.count).map(level.title) == names)
        for row in 0..<level.count { #expect(try Outline.fields(of: row, in: level) == #"{"Value":2}"#) }
    }

    @Test("Tens of thousands of dictionaries with a repeated entry each keep the last")
    func manyRepeats() throws {
        let one = Value.integer(PropertyListInteger(Int64(1)))
        let repeated = Value.dictionary([Value.Entry("a", one), Value.Entry("a", .array([one]))])
        let level = try #require(try Value.array(Array(repeating: repeated, count: 20_000)).anyTree().document.child(0))
        #expect(level.count == 20_000)
        #expect(level.itemCount == 60_000)
        #expect((0..<level.count).allSatisfy { level.child($0)?.count == 1 && level.child($0)?.childCount(0) == 1 })
    }
}
