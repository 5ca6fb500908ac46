import Levels
import PropertyLists
import Testing
import Threads
import TreeSources

@testable import DatabaseTrees

/// Edits of a tree in a SQLite file.
extension SQLiteTreeTests {
    @Test func writesAnEditAsRowsAndARevision() throws {
        let (watcher, second) = (try loadedWatcher(), try loadedWatcher())
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        try edit(watcher, [.patch(changes, at: try path("left"))])
        let row = try other().first("SELECT fields FROM items WHERE id = 1")
        #expect(row?[0].string == #"{"Title":"left","N":7}"#)
        let revision = try other().first("SELECT revision, author, writer FROM revisions ORDER BY revision DESC")
        #expect(revision == [.integer(2), .text("alice"), .text("server")])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
        #expect(look(watcher) == .confirmed)
        guard case .advanced(let advances)? = look(second) else {
            Issue.record("another server does not follow the edit")
            return
        }
        #expect(advances.map(\.cause) == [.edit(author: "alice")])
    }

    @Test func aLoadLeavesNothingToFollow() throws {
        let tree = SQLiteTree(path: path, name: "sqlite:T.db")
        let last = try tree.head()
        try other().execute(
            """
            WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
            INSERT INTO revisions (revision, mark, at) SELECT i, 'm' || i, '2026-01-01T00:00:00.000Z' FROM n;
            UPDATE head SET revision = 1200
            """)
        #expect(try tree.revisions(after: last)?.map(\.number) == Array(2...1_001))
        let later = ContinuousClock.now + .seconds(10)
        #expect(tree.isWoken(at: later))
        var waits = WaitSet()
        tree.addWaits(to: &waits)
        #expect(try #require(waits.deadline) <= .now)
        #expect(try tree.readItems { _, _ in }.revision == 1_200)
        _ = tree.isWoken(at: .now)
        #expect(!tree.isWoken(at: .now))
        // A poll finds nothing new until another program has committed.
        #expect(!tree.isWoken(at: later + .seconds(10)))
        try other().execute("UPDATE head SET revision = 1201")
        #expect(tree.isWoken(at: later + .seconds(20)))
    }

    @Test func writesNothingForWhatHasNotChanged() throws {
        let watcher = try loadedWatcher()
        try edit(watcher, [.insert(.string("new"), below: try path("branch"), at: .after("a"), section: nil)])
        let changes = try other().first("SELECT count(*), min(item) FROM changes WHERE revision = 2")
        let last = try other().first("SELECT max(id) FROM items")
        #expect(changes == [.integer(1), last?[0] ?? .null])
    }

    @Test func aMovedRowGetsANewPositionAndNotAChangedOne() throws {
        let watcher = try loadedWatcher()
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        let positions = "SELECT position FROM items WHERE id IN (1, 2) ORDER BY id"
        try edit(
            watcher,
            [
                .move(try path("branch"), below: .root, at: .before("left"), section: nil),
                .patch(changes, at: try path("left")),
            ])
        var found: [Int64?] = []
        try other().rows(positions) { row in found.append(row.integer(0)) }
        #expect(found == [1 << 32, 0])
    }

    @Test func aRowThatMovedAndChangedLeavesTheOthersInTheirPlaces() throws {
        let watcher = try loadedWatcher()
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        try edit(
            watcher,
            [
                .move(try path("left"), below: .root, at: .last, section: nil), .patch(changes, at: try path("left")),
            ])
        #expect(try other().first("SELECT group_concat(item) FROM changes WHERE revision = 2") == [.text("1")])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test func aChangedRowThatStaysInItsPlaceIsWrittenWithoutIt() throws {
        try other().execute(
            """
            CREATE TRIGGER fixed BEFORE UPDATE OF parent, section, position ON items
            BEGIN SELECT RAISE(ABORT, 'a place is fixed'); END
            """)
        let watcher = try loadedWatcher()
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        for place in [try path("branch"), try path("branch", "c", "d"), try path("named", "b1"), .root] {
            try edit(watcher, [.patch(changes, at: place)])
        }
        let changed = "SELECT group_concat(item) FROM changes WHERE revision > 1"
        #expect(try other().first(changed) == [.text("2,6,13,0")])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test func keepsAChangedItemThatLeavesADeletedOne() throws {
        let watcher = try loadedWatcher()
        let changes = PropertyListValue.dictionary(.init([.init(key: "N", value: .integer(.init(7 as Int64)))]))
        try edit(
            watcher,
            [
                .move(try path("branch", "c"), below: .root, at: .last, section: nil),
                .patch(changes, at: try path("c")), .delete(try path("branch")),
            ])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test func reportsTheConstraintThatRefusesAnEdit() throws {
        try other().execute(
            """
            CREATE TRIGGER positive BEFORE UPDATE ON items WHEN json_extract(NEW.fields, '$.N') < 0
            BEGIN SELECT RAISE(ABORT, 'N is positive'); END
            """)
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

    @Test(arguments: [
        "BEFORE UPDATE OF revision ON head BEGIN SELECT RAISE(ABORT, 'the counter is fixed'); END",
        "AFTER UPDATE OF revision ON head BEGIN SELECT RAISE(ROLLBACK, 'the counter is fixed'); END",
    ])
    func losesAllOfAnEditWhoseRevisionIsNotCounted(trigger: String) throws {
        try other().execute("CREATE TRIGGER own \(trigger)")
        let watcher = try loadedWatcher()
        let before = watcher.document.hash
        let error = #expect(throws: SaveError.self) { try edit(watcher, [.delete(try path("left"))]) }
        guard case .failed(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(reason)" == "the database refuses the change: the counter is fixed")
        #expect(try source.load(replacing: nil).tree.document.hash == before)
    }

    @Test func reservesIDsAfterAllThatAreInUseOrInTheLog() throws {
        func reserved() throws -> [Int64] { try SQLiteTree(path: path, name: "sqlite:T.db").reserveIDs(3) }
        let last = try #require(try other().first("SELECT max(id) FROM items")?[0].integer)
        #expect(try reserved() == [last + 1, last + 2, last + 3])
        try other().run("DELETE FROM items WHERE id = ?", .integer(last))
        #expect(try reserved() == [last + 1, last + 2, last + 3])
        let tree = SQLiteTree(path: path, name: "sqlite:T.db")
        #expect(try tree.reserveIDs(1) + tree.reserveIDs(2) == [last + 1, last + 2, last + 3])
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

    @Test func refusesAnItemThatRefersToAnotherDocument() throws {
        let watcher = try loadedWatcher()
        let group = try watcher.beginEdits()
        let item = PropertyListValue.dictionary(
            .init([.init(key: "Title", value: .string("x")), .init(key: "Source", value: .string("Other.plist"))]))
        let document = Array(#"{"Title":"R","Rows":[{"Title":"x","Source":"Other.plist"}]}"#.utf8)
        let batch = EditBatch([.insert(item, below: .root, at: .last, section: nil)], isExact: true)
        let refusals = [
            #expect(throws: EditRefusal.self) { _ = try group.apply(batch, by: nil) },
            #expect(throws: EditRefusal.self) { _ = try group.replaceDocument(with: document, by: nil) },
        ]
        let sentence =
            "A tree in a database cannot refer to other documents; put the items in place of 'Source' or 'Records'."
        #expect(refusals.map { $0?.detail } == [sentence, sentence])
    }

    @Test func theLogKeepsTheLatest100000Revisions() throws {
        let tree = SQLiteTree(path: path, name: "sqlite:T.db")
        try other().execute(
            """
            INSERT INTO revisions (revision, mark, at) VALUES (1000, 'a', 'x'), (1001, 'b', 'x');
            INSERT INTO changes (revision, item) VALUES (1000, 5), (1001, 5);
            UPDATE head SET revision = 100998
            """)
        // A thousand revisions are removed at a time.
        for kept: [Int64] in [[1, 1, 1_000], [1_001, 1_001, 1_001]] {
            try other().execute("UPDATE items SET position = position + 1 WHERE id = 1")
            _ = try tree.revisions(after: tree.head())
            let found = try other().first(
                "SELECT oldest, (SELECT min(revision) FROM revisions), (SELECT min(revision) FROM changes) FROM head")
            #expect(found == kept.map { DatabaseValue.integer($0) })
        }
    }

    @Test(arguments: [(0, "0,1", LoggedRevision.mostChanges), (1, "1,1", 0)])
    func logsAVeryLargeRevisionWithoutItsRows(excess: Int, isWhole: String, changes: Int) throws {
        let count = LoggedRevision.mostChanges + excess
        let watcher = try loadedWatcher()
        try other().execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO items (parent, position, fields) SELECT 1, i, '"x"' FROM n
            """)
        #expect((look(watcher) == .arrived) == (excess > 0))
        _ = try watcher.load(replacing: nil)
        try edit(watcher, [.delete(try path("left"))])
        let logged = try other().first("SELECT group_concat(is_whole) FROM revisions WHERE revision > 1")
        #expect(logged == [.text(isWhole)])
        #expect(try other().first("SELECT count(*) FROM changes") == [.integer(Int64(changes))])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }
}
