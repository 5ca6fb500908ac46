import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Documents that are read as they are (`--shape natural`; manual, Documents).
@Suite struct NaturalShapeTests {
    @Test(
        "Lists and maps are levels, everything else is a field",
        arguments: [
            Example(
                "named lists", #"{"posts":[{"id":1,"title":"Hello","tags":["a"]}],"profile":{"name":"Ann"},"n":5}"#,
                """
                Root {"n":5}
                  posts {}
                    1 (Hello) {"id":1,"title":"Hello","tags":["a"]}
                  profile {"name":"Ann"}
                """),
            Example(
                "empty values of the root", #"{"a":[],"b":{},"c":null}"#, "Root {}\n  a {}\n  b {}"),
            Example(
                "lists and maps in a record",
                #"[{"n":"x","l":[{"a":1}],"m":{"k":{"b":2}},"texts":["t"],"d":{"c":3},"e":[]}]"#,
                """
                Root {}
                  x {"n":"x","texts":["t"],"d":{"c":3},"e":[]}
                    l {}
                      1 {"a":1}
                    m {}
                      k {"b":2}
                """),
            Example(
                "lists side by side, each by its own fields",
                #"{"a":[{"id":1,"name":"x"},{"id":2,"name":"y"}],"b":[{"ID":3,"name":"x"}],"c":[{"text":"t"}],"#
                    + #""d":[{"name":"x","label":"l"},{"name":"x","label":"m"}],"e":[{"id":4,"name":"y"}]}"#,
                """
                Root {}
                  a {}
                    1 (x) {"id":1,"name":"x"}
                    2 (y) {"id":2,"name":"y"}
                  b {}
                    3 (x) {"ID":3,"name":"x"}
                  c {}
                    t {"text":"t"}
                  d {}
                    l {"name":"x","label":"l"}
                    m {"name":"x","label":"m"}
                  e {}
                    4 (y) {"id":4,"name":"y"}
                """),
            Example(
                "children by name",
                #"{"menu":[{"label":"A","entries":[{"label":"B","entries":[]},"c"],"l":[{"x":1}]}]}"#,
                """
                Root {}
                  menu {}
                    A {"label":"A","l":[{"x":1}]}
                      B {"label":"B"}
                      c
                """),
            Example(
                "children in any case, wherever they hold an array", #"{"CHILDREN":[{"name":"a"}],"x":{"y":1}}"#,
                #"Root {"x":{"y":1}}"# + "\n  a {\"name\":\"a\"}"),
            Example(
                "children that are no array", #"{"children":{"a":{"n":1}}}"#,
                "Root {}\n  children {}\n    a {\"n\":1}"),
            Example(
                "a map of titled records", #"{"m":{"x":{"title":"X","v":1},"y":{"v":2}},"n":1}"#,
                """
                Root {"n":1}
                  m {}
                    x (X) {"title":"X","v":1}
                    y {"v":2}
                """),
            Example(
                "a document that is a map", #"{"x":{"title":"X"},"y":{"title":"Y"}}"#,
                "Root {}\n  x (X) {\"title\":\"X\"}\n  y (Y) {\"title\":\"Y\"}"),
            Example(
                "a document of one dictionary", #"{"x":{"title":"X"}}"#, "Root {}\n  x {\"title\":\"X\"}"),
            Example(
                "a document of dictionaries, one without a title",
                #"{"x":{"title":"X"},"y":{"title":"Y"},"z":{"a":1}}"#,
                "Root {}\n  x {\"title\":\"X\"}\n  y {\"title\":\"Y\"}\n  z {\"a\":1}"),
            Example(
                "scalars", "[5,true,\"\",1.5,null,\"a\"]",
                """
                Root {}
                  5 {"Title":5}
                  true {"Title":true}
                  ~1 ()
                  1.5 {"Title":1.5}
                  a
                """),
            Example("data", "<array><data>AAEC</data></array>", "Root {}\n  1 {\"Title\":\"AAEC\"}"),
            Example(
                "arrays in arrays", #"[[1],[],{"name":"m"}]"#,
                "Root {}\n  1 {}\n    1 {\"Title\":1}\n  2 {}\n  m {\"name\":\"m\"}"),
            Example("an empty array", "[]", "Root {}"), Example("an empty dictionary", "{}", "Root {}"),
            Example(
                "no name is structural", #"{"Sections":[{"Title":"s","Source":"x.plist","Key":"k"}],"Records":"r"}"#,
                #"Root {"Records":"r"}"#
                    + "\n  Sections {}\n    k (s) {\"Title\":\"s\",\"Source\":\"x.plist\",\"Key\":\"k\"}"
            ),
            Example(
                "a value that stands twice", #"{"a":[{"n":1}],"b":2,"a":{"name":"x"}}"#,
                "Root {\"b\":2}\n  a {\"name\":\"x\"}"),
            Example(
                "children that stand twice", #"{"children":[{"name":"a"}],"children":["b"]}"#, "Root {}\n  b"),
            Example(
                "children that a field replaces", #"{"children":[{"name":"a"}],"children":5,"x":[{"y":1}]}"#,
                #"Root {"children":5,"x":[{"y":1}]}"#),
            Example(
                "names that only Unicode takes for equal", "{\"\u{E9}\":[],\"e\u{301}\":[]}",
                "Root {}\n  \u{E9} {}\n  \u{E9}~2 (e\u{301}) {}"),
        ])
    func levels(_ example: Example) throws {
        #expect(try Outline.of(Document.naturalTree(example.document)) == example.expected)
    }

    /// The titles of the rows of a list.
    private func titles(_ list: String, isMap: Bool = false) throws -> [String] {
        let tree = try Document.naturalTree(isMap ? #"{"m":{"n":1},"l":\#(list)}"# : #"{"n":1,"l":\#(list)}"#)
        let level = try #require(tree.document.child(0)?.child(isMap ? 1 : 0))
        return (0..<level.count).map(level.title)
    }

    @Test(
        "The title field is the best name that at least half of the dictionaries have",
        arguments: [
            (#"[{"name":"N","title":"T"}]"#, ["T"]), (#"[{"Display-Name":"D","caption":"C"}]"#, ["D"]),
            (#"[{"full_name":"F","text":"T"}]"#, ["T"]), (#"[{"pageTitle":"P","full_name":"F"}]"#, ["P"]),
            (#"[{"title":"T"},{"name":"N"}]"#, ["T", "2"]),
            (#"[{"title":"T"},{"name":"N"},{"name":"M"}]"#, ["1", "N", "M"]),
            (#"[{"title":"same","label":"A"},{"title":"same","label":"B"}]"#, ["A", "B"]),
            (#"[{"title":"same"},{"title":"same"}]"#, ["same", "same"]),
            (#"[{"title":5},{"title":"T"},{"title":true}]"#, ["1", "2", "3"]),
            (#"[{"title":5},{"title":"T"}]"#, ["5", "T"]), (#"[{"title":""},{"title":"T"}]"#, ["1", "T"]),
            (#"[{"title":["a"]},{"title":"T"}]"#, ["1", "T"]),
            (#"[{"v":1,"title":{"rendered":"R"},"properties":{"name":"P"}}]"#, ["R"]),
            (#"[{"v":1,"name":{"official":"O","common":"C"}}]"#, ["O"]),
            (#"[{"v":1,"name":{"official":"O","label":"L"}}]"#, ["L"]),
            (#"[{"properties":{"name":"P"},"type":"Feature"}]"#, ["P"]),
            (#"[{"type":"t","city":"Rome"}]"#, ["Rome"]), (#"[{"userId":"u","uuid":"v","body":"B"}]"#, ["B"]),
            (#"[{"zip":"123","nr":"5","city":"Rome"}]"#, ["Rome"]), (#"[{"v":1,"a":{"b":"deep"}}]"#, ["deep"]),
            (#"[{"status":"on","city":"A"},{"status":"on","city":"B"}]"#, ["A", "B"]),
            (#"[{"v":1},{"v":2}]"#, ["1", "2"]), (#"[{"id":"a","v":1},{"id":"b","v":2}]"#, ["a", "b"]),
        ])
    func titleFields(list: String, expected: [String]) throws {
        #expect(try titles(list) == expected)
    }

    @Test("A title has at most 256 bytes", arguments: [256, 257])
    func longTitle(length: Int) throws {
        let text = String(repeating: "x", count: length)
        #expect(try titles(#"[{"title":"\#(text)"},{"title":"T"}]"#) == [length == 256 ? text : "1", "T"])
        #expect(try titles(#"["\#(text)",{"a":1}]"#)[0] == (length == 256 ? text : "1"))
    }

    @Test("Half of the first thousand dictionaries decide on the title field", arguments: [499, 500])
    func half(titled: Int) throws {
        let rows = (0..<1_000).map { $0 < titled ? #"{"title":"t\#($0)"}"# : #"{"v":1}"# }
        let later = (0..<1_000).map { #"{"title":"later\#($0)"}"# }
        let found = try titles("[\((rows + later).joined(separator: ","))]")
        #expect(found[0] == (titled == 500 ? "t0" : "1"))
        #expect(found[1_999] == (titled == 500 ? "later999" : "2000"))
    }

    @Test("A dictionary that is a map has no title, and a map takes no other field for one")
    func maps() throws {
        #expect(try titles(#"[{"title":{"name":"N"}},{"title":"T"}]"#) == ["1", "T"])
        #expect(try titles(#"{"x":{"city":"Rome"},"y":{"city":"Oslo"}}"#, isMap: true) == ["x", "y"])
    }

    /// The keys of the rows of a list.
    private func keys(_ list: String) throws -> [String] {
        let level = try #require(try Document.naturalTree(#"{"n":1,"l":\#(list)}"#).document.child(0)?.child(0))
        return (0..<level.count).map(level.key)
    }

    @Test(
        "The key is the first of the names for keys that at least half have, no two of them equal",
        arguments: [
            (#"[{"id":7,"name":"A"},{"id":9,"name":"B"}]"#, ["7", "9"]), (#"[{"slug":"s","ID":"i"}]"#, ["i"]),
            (#"[{"id":1,"slug":"a"},{"id":1,"slug":"b"}]"#, ["a", "b"]),
            (#"[{"id":1,"name":"A"},{"id":1,"name":"B"}]"#, ["A", "B"]),
            (#"[{"id":1,"name":"A"},{"name":"B"}]"#, ["1", "B"]),
            (#"[{"id":1,"name":"A"},{"name":"B"},{"name":"C"}]"#, ["A", "B", "C"]),
            (#"[{"id":1.5,"name":"A"}]"#, ["A"]), (#"[{"id":true,"name":"A"}]"#, ["A"]),
            (#"[{"id":"","name":"A"}]"#, ["A"]),
            ("[{\"id\":\"\u{E9}\",\"name\":\"A\"},{\"id\":\"e\u{301}\",\"name\":\"B\"}]", ["A", "B"]),
            (#"[{"id":-3,"name":"A"},{"id":18446744073709551615,"name":"B"}]"#, ["-3", "18446744073709551615"]),
            (#"[{"id":1,"name":"A"},{"name":"1"}]"#, ["1", "1~2"]), (#"[{"name":"A"},{"name":"A"}]"#, ["A", "A~2"]),
        ])
    func keyFields(list: String, expected: [String]) throws {
        #expect(try keys(list) == expected)
    }

    @Test(
        "One sentence says how the document was read",
        arguments: [
            (
                #"{"posts":[{"id":1,"title":"a"}],"comments":[{"id":1,"body":"b"}],"tags":[{"name":"x"}]}"#,
                "'posts' by 'title', keys 'id'; 'comments' by 'body', keys 'id'; 'tags' by 'name'"
            ),
            (
                #"{"menus":[{"slug":"a","label":"A","entries":[{"slug":"b","label":"B","entries":[]}]}]}"#,
                "rows in 'entries'; 'menus' by 'label', keys 'slug'; 'entries' by 'label', keys 'slug'"
            ),
            (#"[{"uuid":"a","caption":"A"}]"#, "rows by 'caption', keys 'uuid'"),
            (#"{"a":{"b":1}}"#, "rows by their names"), (#"{"l":[{"v":1,"p":{"name":"x"}}]}"#, "'l' by 'p.name'"),
            (
                #"{"a":[{"name":"x"}],"b":[{"name":"x"}],"c":[{"name":"x"}],"d":[{"name":"x"}]}"#,
                "'a' by 'name'; 'b' by 'name'; 'c' by 'name'; and 1 more list"
            ),
        ])
    func reading(document: String, expected: String) throws {
        #expect(try Document.naturalTree(document).reading == "read as it is: " + expected)
    }

    @Test(
        "A document of items has only strings as rows, or dictionaries with a title or a key in at least half of them",
        arguments: [
            (#"["a","b"]"#, true), (#"[{"Title":"a"},5]"#, true), (#"[{"Title":"a"},5,6]"#, false),
            (#"[{"title":"a"}]"#, false), (#"[]"#, true), (#"{"Rows":[]}"#, true), (#"{"Rows":[{"Key":"k"}]}"#, true),
            (#"{"Rows":{"Key":"k"}}"#, false), (#"{"Children":[{"Title":"a","Children":[1,2,3]}]}"#, false),
            (#"{"Children":[{"Title":"a","Children":["x",2,3]}]}"#, true), (#"[["a"],["b"]]"#, true),
            (#"[["a"],5]"#, false),
            (#"{"Sections":[["a"],{"Rows":["b"]}]}"#, true), (#"{"Sections":{"A":["a"],"B":["b"]}}"#, true),
            (#"{"Sections":{"A":["a"],"B":5}}"#, false), (#"{"Sections":[[1]]}"#, false),
            (#"{"PreferenceSpecifiers":[1]}"#, true), (#"{"Records":[],"DrillBy":[]}"#, true),
            (#"{"Records":[]}"#, false),
            (#"{"a":1}"#, false),
        ])
    func census(document: String, isOfItems: Bool) throws {
        #expect(try Document.survey(document).isOfItems == isOfItems)
    }

    @Test("A document of one value is refused", arguments: ["5", #""x""#, "null"])
    func oneValue(document: String) throws {
        let error = #expect(throws: PropertyListError.self) { try Document.naturalTree(document) }
        let subject = document == "null" ? "null" : "one value"
        #expect(error?.reason == "the document is \(subject); it needs an array or a dictionary")
    }

    @Test("A document that has grown since its survey is refused")
    func changed() throws {
        var builder = NaturalTreeBuilder(try Document.survey("[{}]"))
        let error = #expect(throws: PropertyListError.self) { try Document.read("[{},{}]", into: &builder) }
        #expect(error?.reason == "the document changed while it was read; save it again")
    }

    @Test("Levels nest as deep as the limit allows", arguments: [3, 4])
    func depth(levels: Int) throws {
        let text = String(repeating: "[", count: levels + 1) + String(repeating: "]", count: levels + 1)
        let limits = TreeLimits(depth: 3)
        guard levels > 3 else {
            #expect(try Document.naturalTree(text, limits: limits).itemCount == 3)
            return
        }
        let error = #expect(throws: PropertyListError.self) { try Document.naturalTree(text, limits: limits) }
        #expect(error?.reason == "items nest deeper than 3 levels; flatten the document")
    }
}
