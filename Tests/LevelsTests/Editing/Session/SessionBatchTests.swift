import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Many steps on one level, which are gathered.
@Suite("A batch on one level")
struct SessionBatchTests {
    @Test("gives the level that its steps give", arguments: [10, 60])
    func long(_ count: Int) throws {
        let titles = (0..<400).map { "\"row \($0)\"" }.joined(separator: ",")
        var example = try SessionExample(#"[{"Title":"a","Children":["x","y"]},\#(titles)]"#)
        var steps = example
        let edits: [Edit] = (0..<count).flatMap { number -> [Edit] in
            [
                .insert("\"new \(number)\"", "/", .offset(number)), .patch(#"{"N":\#(number)}"#, "/row%20\(number)"),
                .delete("/row%20\(200 + number)"),
                .patch(#"{"Title":"other \#(number)"}"#, "/row%20\(120 + number)"),
            ]
        }
        _ = try example.session.apply(EditBatch(edits, isExact: false))
        for edit in edits { try steps.apply(edit) }
        #expect(LevelComparison.difference(example.session.document, steps.session.document) == nil)
        for file in example.session.changedFiles { try OriginCheck(file).check("\(count)") }
    }

    @Test("makes the level once")
    func once() throws {
        var example = try SessionExample(#"["a","b","c","d"]"#)
        let edits: [Edit] = [
            .insert(#""n""#, "/", .first), .patch(#"{"N":1}"#, "/a"), .delete("/b"), .move("/d", "/", .first),
            .insert(#""m""#, "/", .after("c")),
        ]
        let gathered = try Self.gathered(edits, in: example)
        #expect(gathered.document === example.session.document)
        for edit in edits { try example.apply(edit) }
        #expect(try example.isBuilt(of: #"["d","n",{"Title":"a","N":1},"c","m"]"#))
    }

    @Test("makes each of several levels once, in whatever order its steps come")
    func severalLevels() throws {
        let document = #"[{"Title":"A","Children":["a","b","c"]},{"Title":"B","Children":["d","e"]},{"Title":"C"}]"#
        var example = try SessionExample(document)
        let edits: [Edit] = [
            .patch(#"{"N":1}"#, "/A/a"), .patch(#"{"N":2}"#, "/B/d"), .delete("/A/b"), .insert(#""n""#, "/B", .first),
            .move("/A/c", "/B", .after("e")), .insert(#""m""#, "/C"), .insert(#""o""#, "/A", .last),
        ]
        let gathered = try Self.gathered(edits, in: example)
        #expect(gathered.document === example.session.document)
        // A level above the others, and a row that was moved.
        for last: Edit in [.delete("/C"), .patch(#"{"N":3}"#, "/B/c")] {
            #expect(try Self.gathered(edits + [last], in: example).document === example.session.document)
        }
        _ = try example.session.apply(EditBatch(edits, isExact: false))
        #expect(
            try example.isBuilt(
                of: """
                    [{"Title":"A","Children":[{"Title":"a","N":1},"o"]},\
                    {"Title":"B","Children":["n",{"Title":"d","N":2},"e","c"]},{"Title":"C","Children":["m"]}]
                    """))
        for file in example.session.changedFiles { try OriginCheck(file).check("several levels") }
    }

    /// The session after the steps of a batch, before the tree with the last of them is made.
    private static func gathered(_ edits: [Edit], in example: SessionExample) throws -> EditSession {
        var session = example.session
        for edit in edits { try session.apply(edit, isExact: false) }
        return session
    }

    @Test("finds rows by the keys that its steps give, before the tree is made")
    func keys() throws {
        let document = #"["a",{"Title":"a","M":1},"b","c~2","d"]"#
        let steps: [(Edit, key: String)] = [
            (.insert(#""b""#, "/"), "/b~2"), (.insert(#""c~3""#, "/"), "/c~3"), (.delete("/a"), "/a"),
            (.move("/a~2", "/", .first), "/a~2"), (.patch(#"{"Title":"b"}"#, "/c~2"), "/b~2"),
            (.patch(#"{"Title":"a"}"#, "/c~2"), "/a~3"), (.patch(#"{"Key":"k"}"#, "/a~2"), "/k"),
            (.insert(#""a~2""#, "/", .first), "/a~3"), (.patch(#"{"Source":"f"}"#, "/b"), "/b"),
        ]
        for (edit, key) in steps {
            var example = try SessionExample(document)
            let edits = [edit, .patch(#"{"N":1}"#, key), .patch(#"{"N":2}"#, "/d")]
            let gathered = try Self.gathered(edits, in: example)
            #expect(gathered.document === example.session.document, "\(edit)")
            var each = example
            for edit in edits { try each.apply(edit) }
            _ = try example.session.apply(EditBatch(edits, isExact: false))
            #expect(LevelComparison.difference(example.session.document, each.session.document) == nil, "\(edit)")
        }
    }

    @Test("gives the document that its steps give, if a place for rows comes and its rows go again")
    func emptied() throws {
        let document = #"[{"Title":"A","Sections":[{"Title":"s","Rows":["a"]},{"Title":"t"}]},"B"]"#
        for path in ["/A", "/B"] {
            var example = try SessionExample(document)
            var steps = example
            let edits: [Edit] = [.insert(#""n""#, path), .delete("\(path)/n"), .patch(#"{"N":1}"#, path)]
            _ = try example.session.apply(EditBatch(edits, isExact: false))
            for edit in edits { try steps.apply(edit) }
            #expect(LevelComparison.difference(example.session.document, steps.session.document) == nil, "\(path)")
        }
    }

    @Test("names the step that gives two rows one Key, and the rows")
    func sharedKey() throws {
        let example = try SessionExample(#"["k",{"Title":"a","Key":"j"},{"Title":"b","Key":"l"}]"#)
        #expect(
            example.refusal(of: [
                .patch(#"{"N":1}"#, "/l"), .patch(#"{"Key":"k"}"#, "/j"), .patch(#"{"Key":"k"}"#, "/l"), .delete("/k"),
            ]) == "2 conflict: Two rows have the Key 'k', 'a' and 'b'; a Key must be unique among siblings.")
    }

    @Test("names the step by which a limit is exceeded")
    func limit() throws {
        let example = try SessionExample(#"["a"]"#, limits: TreeLimits(items: 3))
        let edits: [Edit] = ["b", "c", "d", "e"].map { .insert("\"\($0)\"", "/") }
        #expect(
            example.refusal(of: edits)
                == "2 conflict: The document holds more than 3 items; split it, or raise MaxItems.")
    }
}
