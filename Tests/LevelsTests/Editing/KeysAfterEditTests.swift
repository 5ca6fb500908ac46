import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// The keys of siblings follow an edit, as the rules of keys say (manual, Paths and keys).
@Suite struct KeysAfterEditTests {
    @Test(
        "Siblings of equal titles move up and down",
        arguments: [
            EditExample("the first of three goes", #"["a","a","a"]"#, #"["a","a"]"#) { try $0.removing("/a") },
            EditExample("the second of three goes", #"["a","a","a"]"#, #"["a","a"]"#) { try $0.removing("/a~2") },
            EditExample("one before the first comes", #"["b","a","a"]"#, #"["a","b","a","a"]"#) {
                try $0.inserting(#"["a"]"#, below: "", at: 0)
            },
            EditExample("three come at once", #"["b"]"#, #"["b","a","a","a"]"#) {
                try $0.inserting(#"["a","a","a"]"#, below: "", at: 1)
            },
            EditExample("the last moves to the front", #"["a",{"Title":"a"},"b"]"#, #"[{"Title":"a"},"a","b"]"#) {
                try $0.moving("/a~2", below: "", at: 0)
            },
            EditExample("the key that another passed over goes", #"["a","a","a~2"]"#, #"["a","a"]"#) {
                try $0.removing("/a~2")
            },
            EditExample("the key that another has comes", #"["a","a"]"#, #"["a","a","a~2"]"#) {
                try $0.inserting(#"["a~2"]"#, below: "", at: 2)
            },
            EditExample("a row of another title takes the first's place", #"["a","a"]"#, #"["b","a"]"#) {
                try $0.replacing("/a", #""b""#)
            },
            EditExample(
                "one of the same title takes the second's place", #"["a","a","b"]"#, #"["a",{"Title":"a"},"b"]"#
            ) {
                try $0.replacing("/a~2", #"{"Title":"a"}"#)
            },
            EditExample("a title that is the same after NFC comes", "[\"\u{E9}\"]", "[\"e\u{301}\",\"\u{E9}\"]") {
                try $0.inserting("[\"e\u{301}\"]", below: "", at: 0)
            },
            EditExample("a key that a URL cannot carry comes and goes", #"["x",""]"#, #"["x",".."]"#) {
                try $0.replacing("/~1", #""..""#)
            },
        ])
    func titles(_ example: EditExample) throws { try example.check() }

    @Test(
        "A Key that had to give way to a title has its own name again when the title goes",
        arguments: [
            EditExample("in the field Key", #"["k",{"Key":"k","Title":"t"}]"#, #"[{"Key":"k","Title":"t"}]"#) {
                try $0.removing("/k")
            },
            EditExample(
                "and ends in a number itself", #"["k~2",{"Key":"k~2","Title":"t"},"x"]"#,
                #"[{"Key":"k~2","Title":"t"},"x"]"#
            ) { try $0.removing("/k~2") },
            EditExample("and stays where the title stays", #"["k",{"Key":"k"},"x"]"#, #"["k",{"Key":"k"}]"#) {
                try $0.removing("/x")
            },
            EditExample(
                "in a field of another name", #"[{"name":"k"},{"id":"k","name":"t"}]"#, #"[{"id":"k","name":"t"}]"#,
                mapping: "title=name,key=ref|id,children=entries"
            ) { try $0.removing("/k") },
        ])
    func explicitKeys(_ example: EditExample) throws { try example.check() }

    @Test("Two rows with one Key are refused, whether one comes, or one takes the place of its namesake")
    func sharedKey() throws {
        let edited = try Edited(#"[{"Key":"k","Title":"a"},{"Key":"l","Title":"b"},"m"]"#)
        func expect(_ first: (Int, String), _ second: (Int, String), _ edit: () throws -> Level) {
            let rows = [first, second].map { SharedKey.Row(number: $0.0, title: $0.1, position: nil) }
            let shared = SharedKey(key: "k", first: rows[0], second: rows[1])
            #expect(throws: TreeError.sharedKey(shared)) { _ = try edit() }
        }
        let new = #"{"Key":"k","Title":"new"}"#
        expect((0, "new"), (1, "a")) { try edited.inserting("[\(new)]", below: "", at: 0) }
        expect((0, "a"), (2, "new")) { try edited.replacing("/m", new) }
        expect((0, "a"), (1, "new")) { try edited.replacing("/l", new) }
        expect((0, "new"), (1, "new")) {
            let rows = try edited.rows("[\(new)]") + edited.rows("[\(new)]")
            let tree = try edited.removing("/k")
            return try edited.document(of: tree) { (draft) throws(TreeError) in
                for row in rows { try draft.insert(ItemDraft(new: row), at: RowPlace(row: 0)) }
            }
        }
        let titled = try Edited(#"["k",{"Key":"k","Title":"a"}]"#)
        expect((0, "new"), (1, "a")) { try titled.replacing("/k", new) }
        let untitled = try Edited(#"[{"Key":"k"}]"#)
        let error = #expect(throws: TreeError.self) { try untitled.inserting("[\(new)]", below: "", at: 1) }
        #expect(
            error?.description
                == "two rows have the Key 'k', row 1 and 'new'; a Key must be unique among siblings")
    }

    @Test(
        "In levels of any length random steps, alone and many at once, give the level that is built", arguments: 0..<4)
    func longLevels(_ part: Int) throws {
        var generator = SeededGenerator(seed: UInt64(part))
        for count in [0, 1, 15, 16, 17, 18, 40, 300] {
            var titles = (0..<count).map { "row \($0)" }
            var level = try tree(titles)
            for round in 0..<40 {
                var rows = LevelDraft(of: level, below: nil, names: .init())
                for _ in 0...generator.below(6) { try step(&rows, &titles, &generator) }
                level = try rows.level()
                let built = try tree(titles)
                let difference = LevelComparison.difference(level, built)
                #expect(difference == nil, "part \(part), \(count) rows, round \(round)")
            }
        }
    }

    private func step(
        _ rows: inout LevelDraft, _ titles: inout [String], _ generator: inout SeededGenerator
    ) throws {
        let row = generator.below(max(titles.count, 1))
        // One in four is the title of another row, or that with a number.
        let title = generator.one(in: 4) ? "row 7" + (generator.one(in: 2) ? "~2" : "") : "new \(generator.next())"
        let source = try Item.Step(level: tree([title]), row: 0)
        switch generator.below(4) {
        case 0 where !titles.isEmpty:
            _ = try rows.remove(row)
            titles.remove(at: row)
        case 1 where !titles.isEmpty:
            let place = generator.below(titles.count)
            try rows.move(row, to: place, section: 0)
            titles.insert(titles.remove(at: row), at: place)
        case 2 where !titles.isEmpty:
            try rows.replace(row, with: source, keepsLevel: false)
            titles[row] = title
        default:
            let place = generator.below(titles.count + 1)
            try rows.insert(ItemDraft(new: source), at: place, section: 0)
            titles.insert(title, at: place)
        }
    }

    private func tree(_ titles: [String]) throws -> Level {
        try Value.array(titles.map(Value.string)).tree().document.child(0) ?? .empty
    }
}
