import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Places of levels, sections and all that a level counts, after an edit.
@Suite struct StructureAfterEditTests {
    @Test(
        "A leaf becomes a branch, and a branch that loses its last row keeps an empty list",
        arguments: [
            EditExample("a string", #"["a","b"]"#, #"["a",{"Title":"b","Children":["x",{"Title":"y"}]}]"#) {
                try $0.inserting(#"["x",{"Title":"y"}]"#, below: "/b", at: 0)
            },
            EditExample(
                "a dictionary", #"[{"N":1,"Title":"b","M":2}]"#, #"[{"N":1,"Title":"b","M":2,"Children":["x"]}]"#
            ) {
                try $0.inserting(#"["x"]"#, below: "/b", at: 0)
            },
            EditExample("one with a Key and no title", #"[{"Key":"b"}]"#, #"[{"Key":"b","Children":["x"]}]"#) {
                try $0.inserting(#"["x"]"#, below: "/b", at: 0)
            },
            EditExample(
                "one with an empty title", #"[{"Key":"b","Title":""}]"#, #"[{"Key":"b","Title":"","Children":["x"]}]"#
            ) { try $0.inserting(#"["x"]"#, below: "/b", at: 0) },
            EditExample(
                "one whose title is a number", #"[{"Title":5,"X":true}]"#, #"[{"Title":5,"X":true,"Children":["x"]}]"#
            ) { try $0.inserting(#"["x"]"#, below: "/5", at: 0) },
            EditExample("one with an empty list", #"[{"Rows":[],"Title":"b"}]"#, #"[{"Rows":["x"],"Title":"b"}]"#) {
                try $0.inserting(#"["x"]"#, below: "/b", at: 0)
            },
            EditExample(
                "a document of other names", #"{"entries":["a"]}"#, #"{"entries":[{"name":"a","entries":["x"]}]}"#,
                mapping: "title=name,children=entries"
            ) { try $0.inserting(#"["x"]"#, below: "/a", at: 0) },
            EditExample(
                "the last row goes", #"[{"Title":"b","Rows":["x"],"N":1}]"#, #"[{"Title":"b","Rows":[],"N":1}]"#
            ) {
                try $0.removing("/b/x")
            },
            EditExample("the last branch goes", #"["a",{"Title":"b","Rows":["x"]}]"#, #"["a"]"#) {
                try $0.removing("/b")
            },
            EditExample("the last row of all goes", #"["a"]"#, "[]") { try $0.removing("/a") },
            EditExample("the last row of all sections goes", #"[["a"],[]]"#, "[[],[]]") { try $0.removing("/a") },
        ])
    func branches(_ example: EditExample) throws { try example.check() }

    @Test(
        "An item is replaced above its level, which keeps its place or gets one at the end",
        arguments: [
            EditExample(
                "at the end", #"[{"Title":"a","Rows":["x"],"N":1}]"#, #"[{"Title":"b","M":2,"Rows":["x"]}]"#
            ) { try $0.replacing("/a", #"{"Title":"b","M":2}"#, keepsLevel: true) },
            EditExample("by a string", #"[{"Title":"a","Rows":["x"]}]"#, #"[{"Title":"b","Rows":["x"]}]"#) {
                try $0.replacing("/a", #""b""#, keepsLevel: true)
            },
            EditExample("a leaf by a string", #"[{"Title":"a","N":1}]"#, #"["b"]"#) {
                try $0.replacing("/a", #""b""#, keepsLevel: true)
            },
            EditExample(
                "at the place of an empty list", #"[{"Title":"a","Rows":[["x"]]}]"#,
                #"[{"Title":"b","Rows":[["x"]],"M":2}]"#
            ) { try $0.replacing("/a", #"{"Title":"b","Rows":[],"M":2}"#, keepsLevel: true) },
            EditExample(
                "with the order of its sections",
                #"[{"SectionKeys":["B"],"Title":"a","Sections":{"A":["x"],"B":["y"]}}]"#,
                #"[{"Title":"b","SectionKeys":["B"],"Sections":{"A":["x"],"B":["y"]}}]"#
            ) { try $0.replacing("/a", #"{"Title":"b"}"#, keepsLevel: true) },
            EditExample("the root", #"{"Title":"a","Rows":["x"]}"#, #"{"N":1,"Rows":["x"]}"#) {
                let source = Item.Step(level: try Document.tree(#"{"N":1,"Rows":[]}"#).document, row: 0)
                return try $0.document { (draft) throws(TreeError) in
                    try draft.replace([], with: source, keepsLevel: true)
                }
            },
        ])
    func keptLevels(_ example: EditExample) throws { try example.check() }

    @Test(
        "Rows come to sections, go from them, and move between them",
        arguments: [
            EditExample("into the second", #"[["a"],["b"],["c"]]"#, #"[["a"],["b","x"],["c"]]"#) {
                try $0.inserting(#"["x"]"#, below: "", section: 1, at: 1)
            },
            EditExample(
                "into an empty one", #"{"Sections":{"A":[],"B":["b"]}}"#, #"{"Sections":{"A":["x"],"B":["b"]}}"#
            ) {
                try $0.inserting(#"["x"]"#, below: "", section: 0, at: 0)
            },
            EditExample(
                "into one without a list", #"{"Sections":[{"Title":"A"},["b"]]}"#,
                #"{"Sections":[{"Title":"A","Rows":["x"]},["b"]]}"#
            ) { try $0.inserting(#"["x"]"#, below: "", section: 0, at: 0) },
            EditExample("out of one", #"[["a"],["b"],["c"]]"#, #"[["a"],[],["c"]]"#) { try $0.removing("/b") },
            EditExample("to another", #"[["a","b"],["c"]]"#, #"[["b"],["c","a"]]"#) {
                try $0.moving("/a", below: "", section: 1, at: 1)
            },
            EditExample("within one", #"[["z"],["a","b","c"]]"#, #"[["z"],["b","c","a"]]"#) {
                try $0.moving("/a", below: "", section: 1, at: 2)
            },
        ])
    func sections(_ example: EditExample) throws { try example.check() }

    private static let hidden = #"{"SectionKeys":["B"],"Sections":{"A":["a"],"B":["b"]}}"#

    @Test(
        "Sections that SectionKeys leaves out stay hidden, and all are while those that it names are empty",
        arguments: [
            EditExample("the last shown row goes", hidden, #"{"SectionKeys":["B"],"Sections":{"A":["a"],"B":[]}}"#) {
                try $0.removing("/b")
            },
            EditExample(
                "a row comes back", #"{"SectionKeys":["B"],"Sections":{"A":["a"],"B":[]}}"#,
                #"{"SectionKeys":["B"],"Sections":{"A":["a"],"B":["x"]}}"#
            ) { try $0.inserting(#"["x"]"#, below: "", section: 0, at: 0) },
            EditExample(
                "a row with the key of a hidden one", hidden,
                #"{"SectionKeys":["B"],"Sections":{"A":["a"],"B":["b","a"]}}"#
            ) { try $0.inserting(#"["a"]"#, below: "", section: 0, at: 1) },
            EditExample("a shown row hides", hidden, #"{"SectionKeys":["B"],"Sections":{"A":["a","b"],"B":[]}}"#) {
                try $0.moving("/b", below: "", section: 1, at: 1)
            },
            EditExample(
                "a row of the same key comes out of hiding", #"{"SectionKeys":["B"],"Sections":{"A":["b"],"B":["b"]}}"#,
                #"{"SectionKeys":["B"],"Sections":{"A":[],"B":["b","b"]}}"#
            ) {
                try $0.document { (draft) throws(TreeError) in try draft.move([1], to: RowPlace(section: 0, row: 1)) }
            },
        ])
    func hiddenSections(_ example: EditExample) throws { try example.check() }

    @Test(
        "An item moves below another one",
        arguments: [
            EditExample(
                "beside its old level", #"[{"Title":"a","Rows":["x"]},"b"]"#, #"[{"Title":"a","Rows":[]},"b","x"]"#
            ) {
                try $0.moving("/a/x", below: "", at: 2)
            },
            EditExample("past where it was", #"["x",{"Title":"a","Rows":["b"]}]"#, #"[{"Title":"a","Rows":["x","b"]}]"#)
            {
                try $0.moving("/x", below: "/a", at: 0)
            },
            EditExample("into a leaf", #"["x","a"]"#, #"[{"Title":"a","Children":["x"]}]"#) {
                try $0.moving("/x", below: "/a", at: 0)
            },
            EditExample(
                "between equal levels", #"[{"Title":"a","Rows":["x"]},{"Title":"b","Rows":["x"]}]"#,
                #"[{"Title":"a","Rows":[]},{"Title":"b","Rows":["x","x"]}]"#
            ) {
                // One object in both places, as a pool leaves them.
                let shared = try #require($0.item("/b").level)
                let tree = try $0.document { (draft) throws(TreeError) in
                    try draft.exchangeLevel(below: [0], with: shared)
                }
                return try $0.document(of: tree) { (draft) throws(TreeError) in
                    try draft.move([0, 0], to: RowPlace(owner: [1], row: 1))
                }
            },
        ])
    func moves(_ example: EditExample) throws { try example.check() }

    @Test("Text that XML cannot carry is known of as long as it is there")
    func textBeyondXML() throws {
        let edited = try Edited(#"["a",{"Title":"b","Rows":["\u0001"]},"\u0002"]"#)
        let one = try edited.removing("/%02")
        #expect(one.holdsTextBeyondXML)
        let other = try edited.document(of: one) { (draft) throws(TreeError) in _ = try draft.remove([1, 0]) }
        #expect(!other.holdsTextBeyondXML)
        let row = try edited.rows(#"[{"Title":"c","N":["\uFFFF"]}]"#)[0]
        let again = try edited.document(of: other) { (draft) throws(TreeError) in
            try draft.insert(ItemDraft(new: row), at: RowPlace(owner: [1], row: 0))
        }
        #expect(again.holdsTextBeyondXML)
    }

    @Test("All levels beside the way to the root are the same objects, and without a change all are")
    func sharing() throws {
        let edited = try Edited(
            #"[{"Title":"a","Rows":[{"Title":"b","Rows":["x"]},{"Title":"c","Rows":["y"]}]},{"Title":"d","Rows":["z"]}]"#
        )
        let tree = try edited.replacing("/a/b/x", #"{"Title":"x","N":1}"#)
        let (old, new) = (try #require(edited.tree.child(0)), try #require(tree.child(0)))
        #expect(new.child(1) === old.child(1))
        #expect(new.child(0)?.child(1) === old.child(0)?.child(1))
        #expect(new.child(0) !== old.child(0))
        #expect(try edited.replacing("/a/b/x", #""x""#) === edited.tree)
        #expect(try edited.moving("/d", below: "", at: 1) === edited.tree)
    }
}
