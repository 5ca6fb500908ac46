import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Documents of several files: an edit changes the file that holds the item (manual, Editing).
@Suite("A session on several files")
struct SessionMountTests {
    private static let main = #"["x",{"Title":"M","Source":"m"},{"Title":"N","Source":"m"},{"Title":"B","Source":"b"}]"#
    private static let mounted = #"{"Title":"Root","Owner":"o","Rows":["one",{"Title":"two","Children":["three"]}]}"#

    private func example() throws -> SessionExample {
        try SessionExample(Self.main, ["m": Self.mounted], refused: ["b": "The file b is broken."])
    }

    @Test("changes the mounted file alone, in all its places")
    func below() throws {
        var example = try example()
        let items = try example.apply(
            .insert(#""new""#, "/M", .first), .delete("/N/one"), .patch(#"{"P":1}"#, "/M/two/three"))
        #expect(example.session.changedFiles.count == 1)
        let file = try #require(example.session.changedFiles.first)
        let after =
            #"{"Title":"Root","Owner":"o","Rows":["new",{"Title":"two","Children":[{"Title":"three","P":1}]}]}"#
        #expect(file.new.hash == (try Document.tree(after).document.hash))
        #expect(file.old.hash == (try Document.tree(Self.mounted).document.hash))
        #expect(file.original?.source === file.old)
        try OriginCheck(file).check("mounted")
        let expected = try SessionExample(Self.main, ["m": after], refused: ["b": "The file b is broken."])
        #expect(example.session.document.hash == expected.session.document.hash)
        #expect(!example.session.needsLoad)
        guard case .present(let item, _)? = items.first else { return #expect(Bool(false), "\(items)") }
        #expect(item.titlePath == "/M/new")
    }

    @Test("changes the fields of an item with a Source in its own file, and removes it there")
    func own() throws {
        var example = try example()
        try example.apply(.patch(#"{"Note":"n"}"#, "/M"), .delete("/N"))
        let file = try #require(example.session.changedFiles.first)
        let after = #"["x",{"Title":"M","Source":"m","Note":"n"},{"Title":"B","Source":"b"}]"#
        #expect(file.new.hash == (try Document.tree(after).document.hash))
        #expect(example.session.changedFiles.count == 1)
    }

    @Test("asks for a load where an edit refers to another file")
    func load() throws {
        var example = try example()
        try example.apply(.patch(#"{"Source":"m"}"#, "/x"))
        #expect(!example.session.needsLoad)
        try example.apply(.patch(#"{"Source":"other"}"#, "/x"))
        #expect(example.session.needsLoad)
        var plain = try SessionExample(#"["a"]"#)
        try plain.apply(.insert(#"{"Title":"t","Records":"r.csv","DrillBy":[]}"#, "/"))
        #expect(plain.session.needsLoad)
    }

    @Test("refuses a move between two files, and an unreadable item")
    func refused() throws {
        let example = try example()
        #expect(
            example.refusal(of: [.move("/x", "/M")])
                == "0 conflict: The item and its new place are in different files, and a move would change both; insert a copy there, then delete the item."
        )
        #expect(
            example.refusal(of: [.delete("/x"), .delete("/M/one")])
                == "1 conflict: The edits concern several files, which cannot be saved in one step; send the edits of each file separately."
        )
        // The row that mounts a file belongs to another file than the rows below it.
        #expect(
            example.refusal(of: [.insert(#""i""#, "/M"), .patch(#"{"N":1}"#, "/M")])
                == "1 conflict: The edits concern several files, which cannot be saved in one step; send the edits of each file separately."
        )
        let unread = "conflict: The document of /B cannot be edited: The file b is broken."
        #expect(example.refusal(of: [.insert(#""i""#, "/B")]) == "0 \(unread)")
        #expect(example.refusal(of: [.put(#""i""#, "/B/i")]) == "0 \(unread)")
        #expect(example.refusal(of: [.patch("{}", "/B/i")]) == "0 \(unread)")
        #expect(
            example.refusal(of: [.move("/M", "/M")])
                == "0 conflict: An item cannot be moved into itself or below itself.")
        #expect(
            example.refusal(of: [.move("/M/two", "/N/two")])
                == "0 conflict: An item cannot be moved into itself or below itself.")
    }
}
