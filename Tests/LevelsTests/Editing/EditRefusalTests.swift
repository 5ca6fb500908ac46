import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Edits that cannot be: the error, its sentence, and that nothing else comes of them.
@Suite struct EditRefusalTests {
    @Test("Items may nest as deep after an edit as in a document, and not one level deeper")
    func depth() throws {
        let limits = TreeLimits(depth: 3)
        let edited = try Edited(#"["x",{"Title":"a","Rows":[{"Title":"b","Rows":["c"]}]}]"#, limits: limits)
        _ = try edited.inserting(#"[{"Title":"d","Rows":["e"]}]"#, below: "/a", at: 0)
        _ = try edited.moving("/x", below: "/a/b", at: 0)
        let refusal = TreeError.tooDeep(limit: 3)
        #expect(refusal.description == "items nest deeper than 3 levels; flatten the tree")
        #expect(throws: refusal) { try edited.inserting(#"["d"]"#, below: "/a/b/c", at: 0) }
        #expect(throws: refusal) { try edited.inserting(#"[{"Title":"d","Rows":["e"]}]"#, below: "/a/b", at: 0) }
        #expect(throws: refusal) {
            try edited.replacing("/x", #"{"Title":"d","Rows":[{"Title":"e","Rows":[{"Title":"f","Rows":["g"]}]}]}"#)
        }
        #expect(throws: refusal) { try edited.moving("/a", below: "/x", at: 0) }
    }

    @Test("A tree may hold as many items after an edit as its limit says, the hidden ones counted")
    func items() throws {
        let edited = try Edited(
            #"{"SectionKeys":["B"],"Sections":{"A":["a"],"B":["b"]}}"#, limits: TreeLimits(items: 3))
        #expect(try edited.inserting(#"["c"]"#, below: "/b", at: 0).itemCount == 3)
        let refusal = TreeError.tooManyItems(limit: 3)
        #expect(refusal.description == "the document holds more than 3 items; split it, or raise MaxItems")
        #expect(throws: refusal) { try edited.inserting(#"["c","d"]"#, below: "", at: 1) }
    }

    @Test("A level of more than 4 GiB is refused before memory is asked for")
    func size() throws {
        let edited = try Edited("[]")
        let text = String(repeating: "x", count: 1 << 20)
        let row = try edited.rows(#"[{"Title":"a","Text":"\#(text)"}]"#)[0]
        let rows = Array(repeating: row, count: 4_096)
        let refusal = TreeError.levelTooLarge
        #expect(refusal.description == "one level holds more than 4 GiB; divide it into several")
        #expect(throws: refusal) {
            try edited.document { (draft) throws(TreeError) in
                for row in rows { try draft.insert(ItemDraft(new: row), at: RowPlace(row: 0)) }
            }
        }
    }

    @Test("Rows and places that are not there are refused")
    func places() throws {
        let edited = try Edited(#"[["a","b"],["c"]]"#)
        func expect(_ error: TreeError, _ sentence: String, _ edit: (inout LevelDraft) throws -> Void) throws {
            let level = try #require(edited.item("").level)
            var rows = LevelDraft(of: level, below: nil, names: .init())
            var changed = rows
            #expect(throws: error) { try edit(&changed) }
            #expect(error.description == sentence)
            #expect(try rows.level() === level)
        }
        try expect(.noRow(3, rows: 3), "row 3 is out of range for 3 rows; rows are numbered from 0") {
            _ = try $0.remove(3)
        }
        try expect(.noRow(-1, rows: 3), "row -1 is out of range for 3 rows; rows are numbered from 0") {
            try $0.move(-1, to: 0, section: 0)
        }
        let place = "a row cannot be inserted at 2 among 1 row; the offset must be from 0 to 1"
        try expect(.noPlace(2, rows: 1), place) { try $0.move(0, to: 3, section: 1) }
        try expect(.noPlace(2, rows: 1), place) { try $0.move(0, to: 2, section: 0) }
        try expect(.noSection(2, sections: 2), "section 2 is out of range for 2 sections; sections are numbered from 0")
        {
            try $0.insert(ItemDraft(new: Item.Step(level: edited.tree, row: 0)), at: 0, section: 2)
        }
        let empty = try Edited(#"{"Sections":{}}"#)
        #expect(throws: TreeError.noSection(0, sections: 0)) { try empty.inserting(#"["a"]"#, below: "", at: 0) }
    }

    @Test("The root stays where it is")
    func root() throws {
        let edited = try Edited(#"[{"Title":"a","Rows":[{"Title":"b","Rows":["c"]}]}]"#)
        #expect(TreeError.root.description == "the root item cannot be removed or moved")
        #expect(throws: TreeError.root) { try edited.removing("") }
        #expect(throws: TreeError.root) { try edited.moving("", below: "/a", at: 0) }
    }
}
