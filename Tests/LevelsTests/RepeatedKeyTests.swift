import Bytes
import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Dictionaries in which a key stands more than once: the last one counts, as in every reader of dictionaries.
@Suite struct RepeatedKeyTests {
    @Test(
        "Of entries with one key the last counts",
        arguments: [
            Example("a field", #"[{"Title":"a","X":1,"Y":2,"X":3}]"#, #"a {"Title":"a","Y":2,"X":3}"#),
            Example(
                "a field three times", #"[{"X":1,"Title":"a","X":[2],"X":{"Z":3}}]"#, #"a {"Title":"a","X":{"Z":3}}"#),
            Example("the title", #"[{"Title":"a","X":1,"Title":"b"}]"#, #"b {"X":1,"Title":"b"}"#),
            Example("the title, with another type", #"[{"Title":5,"X":1,"Title":"b"}]"#, #"b {"X":1,"Title":"b"}"#),
            Example("a title that is a number", #"[{"Title":"b","X":1,"Title":5}]"#, #"5 {"X":1,"Title":5}"#),
            Example("the Key", #"[{"Key":"a","Title":"t","Key":"b"}]"#, #"b (t) {"Title":"t","Key":"b"}"#),
            Example(
                "a field before title and Key", #"[{"X":1,"Key":"k","X":2,"Title":"t"}]"#,
                #"k (t) {"Key":"k","X":2,"Title":"t"}"#),
            Example(
                "within a field", #"[{"Title":"a","F":{"X":1,"Y":{"Z":1,"Z":2},"X":3}}]"#,
                #"a {"Title":"a","F":{"Y":{"Z":2},"X":3}}"#),
            Example(
                "within an array in a field", #"[{"Title":"a","F":[{"X":1,"X":2},{"X":3}]}]"#,
                #"a {"Title":"a","F":[{"X":2},{"X":3}]}"#),
            Example(
                "within a field that is itself repeated", #"[{"Title":"a","F":{"X":1,"X":2},"F":{"Y":1,"Y":2}}]"#,
                #"a {"Title":"a","F":{"Y":2}}"#),
            Example(
                "Children", #"[{"Title":"a","Children":["b",{"Title":"c","Rows":["d"]}],"Children":["e"]}]"#,
                #"a {"Title":"a"}"# + "\n  e"),
            Example(
                "Children, the last empty", #"[{"Title":"a","Children":["b"],"Children":[]}]"#, #"a {"Title":"a"}"#),
            Example(
                "Sections of two forms", #"[{"Title":"a","Sections":{"A":["b"]},"Sections":[["c"],["d"]]}]"#,
                #"a {"Title":"a"}"# + "\n  [-]\n  c\n  [-]\n  d"),
            Example(
                "rows after sections", #"[{"Title":"a","Children":[["b"],["c"]],"Children":["d"]}]"#,
                #"a {"Title":"a"}"# + "\n  d"),
            Example(
                "sections after rows", #"[{"Title":"a","Children":["d"],"Children":[["b"],["c"]]}]"#,
                #"a {"Title":"a"}"# + "\n  [-]\n  b\n  [-]\n  c"),
            Example(
                "SectionKeys",
                #"[{"Title":"a","SectionKeys":["X"],"Sections":{"A":["b"],"B":["c"]},"SectionKeys":["B"]}]"#,
                #"a {"Title":"a"}"# + "\n  [B]\n  c"),
            Example(
                "a named section",
                #"[{"Title":"a","Sections":{"A":["1","2"],"B":["3"],"A":["4",{"Title":"5","Rows":["6"]}]}}]"#,
                #"a {"Title":"a"}"# + "\n  [B]\n  3\n  [A]\n  4\n  5 {\"Title\":\"5\"}\n    6"),
            Example(
                "a named section in SectionKeys",
                #"[{"Title":"a","SectionKeys":["A","B"],"Sections":{"A":["1"],"B":["3"],"A":["4"]}}]"#,
                #"a {"Title":"a"}"# + "\n  [A]\n  4\n  [B]\n  3"),
            Example(
                "names that only Unicode takes for equal", #"[{"Title":"a","\#u{E9}":1,"e\#u{301}":2}]"#,
                "a {\"Title\":\"a\",\"\u{E9}\":1,\"e\u{301}\":2}"),
        ])
    func lastCounts(_ example: Example) throws {
        let lines = example.expected.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        let outline = try Outline.of(Document.tree(example.document))
        #expect(Array(outline.utf8) == Array("Root {}\n\(lines)".utf8), "\(outline)")
    }

    @Test("Named sections whose names only Unicode takes for equal are two sections")
    func equivalentNames() throws {
        let level = try #require(
            try Document.tree("{\"Sections\":{\"\u{E9}\":[\"1\"],\"e\u{301}\":[\"2\"]}}").document.child(0))
        #expect(level.sections.map { Array(($0.title ?? "").utf8) } == [Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
        #expect((0..<level.count).map(level.title) == ["1", "2"])
    }

    @Test(
        "Dictionaries of hundreds of keys keep the last of each, at every depth", arguments: [23, 24, 25, 26, 100, 700])
    func wide(_ width: Int) throws {
        func entries(_ round: Int) -> [Value.Entry] {
            (0..<width).map { Value.Entry("key \($0)", .integer(PropertyListInteger(Int64(round * width + $0)))) }
        }
        // Twice all keys, a dictionary of the same keys among them, then every third key again.
        let inner = Value.dictionary(entries(5) + entries(6))
        let all =
            entries(0) + [Value.Entry("inner", inner)] + entries(1) + [Value.Entry("inner", inner)]
            + entries(2).enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        let document = Value.array([
            .dictionary([Value.Entry("Title", .string("a"))] + all),
            .dictionary(all + [Value.Entry("Title", .string("b"))]),
        ])
        let level = try #require(try document.tree().document.child(0))
        let last =
            entries(1).enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
            + [Value.Entry("inner", .dictionary(entries(6)))]
            + entries(2).enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        #expect(try Outline.fields(of: 0, in: level) == json(.dictionary([Value.Entry("Title", .string("a"))] + last)))
        #expect(try Outline.fields(of: 1, in: level) == json(.dictionary(last + [Value.Entry("Title", .string("b"))])))
    }

    @Test("A dictionary of a single key, hundreds of times, keeps one")
    func oneKey() throws {
        let entries = (0..<500).map { Value.Entry("k", .integer(PropertyListInteger(Int64($0)))) }
        let document = Value.array([.dictionary([Value.Entry("Title", .string("a"))] + entries)])
        let level = try #require(try document.tree().document.child(0))
        #expect(try Outline.fields(of: 0, in: level) == #"{"Title":"a","k":499}"#)
    }

    private func json(_ value: Value) throws -> String {
        var writer = JSONPropertyListWriter()
        try value.tell(to: &writer)
        return String(utf8: writer.output.span)
    }
}
