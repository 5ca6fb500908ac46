import Levels
import PropertyLists
import Testing
import TreeSources

@testable import DatabaseTrees

/// Edits of a tree in a SQLite file.
extension SQLiteTreeTests {
    @Test func writesAnEditAsRowsAndARevision() throws {
        let watcher = try loadedWatcher()
        func patch(_ number: Int64) throws -> EditBatch {
            let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(number)))]))
            return EditBatch([.patch(changes, at: try path("left"))], isExact: true)
        }
        // The requests before the refused one count, even if they change nothing.
        for others in [[], [100], [100, 100]] as [[Int64]] {
            let group = try watcher.beginEdits()
            for number in others { _ = try group.apply(try patch(number), by: "alice") }
            _ = try group.apply(try patch(-1), by: "bob")
            let error = #expect(throws: SaveError.self) { _ = try group.save() }
            guard case .refused(others.count, let refusal)? = error, case .constraint("N is positive") = refusal.kind
            else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.detail == "The database refuses the edit: N is positive.")
        }
        #expect(try other().first("SELECT revision FROM head") == [.integer(1)])
    }

    @Test(arguments: [
        // Suppresses the write of the edit, without an error.
        "BEFORE UPDATE ON items WHEN NEW.id = 1 BEGIN SELECT RAISE(IGNORE); END",
        "AFTER UPDATE ON items WHEN json_extract(NEW.fields, '$.Stamp') IS NULL BEGIN "
            + "UPDATE items SET fields = json_set(fields, '$.Stamp', 1) WHERE id = NEW.id; END",
        "AFTER UPDATE ON items BEGIN INSERT INTO items (parent, position, fields) VALUES (0, 0, '\"more\"'); END",
        "AFTER UPDATE ON items BEGIN DELETE FROM items WHERE id = 14; END",
    ])
    func refusesAnEditThatATriggerWritesOtherwise(_ trigger: String) throws {
        try other().execute("CREATE TRIGGER own \(trigger)")
        let watcher = try loadedWatcher()
        let before = watcher.document.hash
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        let error = #expect(throws: SaveError.self) { try edit(watcher, [.patch(changes, at: try path("left"))]) }
        guard case .refused(0, let refusal)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            refusal.detail
                == "The database refuses the edit: a row is not in the table, or a trigger suppresses the edit or changes rows besides."
        )
        #expect(try source.load(replacing: nil).tree.document.hash == before)
    }

    @Test func takesATriggerThatWritesToATableOfItsOwn() throws {
        try other().execute(
            """
            CREATE TABLE audit (item INTEGER) STRICT;
            CREATE TRIGGER own AFTER UPDATE ON items BEGIN INSERT INTO audit VALUES (NEW.id); END
            """)
        let watcher = try loadedWatcher()
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        try edit(watcher, [.patch(changes, at: try path("left")), .delete(try path("branch"))])
        #expect(try other().first("SELECT group_concat(item) FROM audit") == [.text("1")])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test func logsAVeryLargeRevisionWithoutItsRows() throws {
        let watcher = try loadedWatcher()
        try other().execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(LoggedRevision.mostChanges + 1))
            INSERT INTO items (parent, position, fields) SELECT 1, i, '"x"' FROM n
            """)
        #expect(look(watcher) == .arrived)
        _ = try watcher.load(replacing: nil)
        try edit(watcher, [.delete(try path("left"))])
        #expect(try other().first("SELECT group_concat(is_whole) FROM revisions WHERE revision > 1") == [.text("1,1")])
        #expect(try other().first("SELECT count(*) FROM changes") == [.integer(0)])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }
}
