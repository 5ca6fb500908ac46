import Levels
import Testing
import Threads
import TreeSources

@testable import DatabaseTrees

/// Rows and objects of other programs in a SQLite file with a tree.
extension SQLiteTreeTests {
    @Test(arguments: [
        #"{"Title":"C","Sections":[{"Title":"q","Rows":null},{"Rows":null}]}"#,
        #"{"Title":"C","Sections":{"x":null,"y":null},"SectionKeys":["x","y"]}"#,
        #"{"Title":"C","Sections":{"x":null,"y":null}}"#,
        #"{"Title":"C","Sections":[null,null]}"#,
        #"{"Title":"C","Sections":{"y":null,"x":null},"SectionKeys":["y","x"]}"#,
        #"{"Title":"C","Sections":{"a":null,"b":null},"SectionKeys":["b","a"]}"#,
    ])
    func rowsStayInTheirSectionsWhenAnotherProgramChangesTheSections(fields: String) throws {
        try putSections()
        let watcher = try loadedWatcher()
        try other().run("UPDATE items SET fields = ? WHERE id = 1", .text(fields))
        // The order of the sections of a dictionary must be read.
        try expectAsLoaded(watcher, isFollowed: fields.contains(#""Sections":["#))
    }

    @Test func rowsThatSwapTheirSectionsAreShownThere() throws {
        try putSections()
        try other().execute("DELETE FROM items WHERE id = 4")
        let watcher = try loadedWatcher()
        try other().execute("UPDATE items SET section = 1 - section WHERE parent = 1")
        try expectAsLoaded(watcher, isFollowed: true)
    }

    @Test func hiddenSectionsKeepTheItemsInThem() throws {
        let hidden = #"["x",{"Title":"k","Sections":{"p":["q"]}},{"Title":"z","Children":[]},"w"]"#
        let text =
            #"{"Title":"R","Children":[{"Title":"C","SectionKeys":["a"],"Sections":{"h":"# + hidden
            + #","a":["a1"]}}]}"#
        try put(text, replaces: true)
        let watcher = try loadedWatcher()
        #expect(try json(watcher.document) == text)
        #expect(watcher.index.rows(below: 1).map(\.id) == [2])
        try other().run(
            "UPDATE items SET fields = replace(fields, ?, ?) WHERE id = 1", .text(#""x""#),
            .text(#"{"Title":"n","Children":null}"#))
        #expect(look(watcher) == .arrived)
        let error = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: watcher.document) }
        #expect(
            error?.description
                == "sqlite:T.db: items[1]: in /C/n: 'null' stands for the rows of an item or of a section, and for no other value; leave the entry out."
        )
    }

    @Test func theRowsBelowADeletedItemGoEvenIfTheProgramLeavesThem() throws {
        let watcher = try loadedWatcher()
        try other().execute("PRAGMA foreign_keys = OFF; DELETE FROM items WHERE title = 'branch'")
        try expectAsLoaded(watcher, isFollowed: true)
        #expect(try other().first("SELECT count(*) FROM items") == [.integer(11)])
    }

    private func putSections() throws {
        try put(
            #"{"Title":"R","Children":[{"Title":"C","Sections":{"x":["x1"],"y":["y1","y2"]},"SectionKeys":["y","x"]}]}"#,
            replaces: true)
    }

    /// Expects that the watcher has followed the latest revision, or loads it, as a new watcher does.
    private func expectAsLoaded(_ watcher: DatabaseWatcher, isFollowed: Bool) throws {
        let report = look(watcher)
        #expect((report == .arrived) == !isFollowed)
        if report == .arrived { _ = try watcher.load(replacing: watcher.document) }
        let loaded = try loadedWatcher()
        #expect(try json(watcher.document) == json(loaded.document))
        #expect(watcher.index.rows(below: 1) == loaded.index.rows(below: 1))
    }

    @Test(arguments: [
        (
            #"UPDATE items SET fields = '{"Title":"left","Source":"Other.plist"}' WHERE id = 1"#,
            "sqlite:T.db: an item refers to the file 'Other.plist', which a database cannot; put its items in place with 'drilldown import'."
        ),
        (
            #"UPDATE items SET fields = '{"Title":"left","Children":[{"Title":"x"}]}' WHERE id = 1"#,
            "sqlite:T.db: items[1]: in /left: the fields contain an item; write 'null' for the array around it, and insert the item as a row with the parent 1."
        ),
        (
            #"UPDATE items SET fields = '{"Title":"left","Sections":{"a":["x"]}}' WHERE id = 1"#,
            "sqlite:T.db: the fields contain an item; write 'null' for the array around it, and insert the item as a row with the parent 1."
        ),
        (
            #"UPDATE items SET fields = '{"Title":"n","Sections":{"B":null,"A":null},"SectionKeys":["A"]}' WHERE id = 12"#,
            "sqlite:T.db: the item 12 has rows in a section that its 'SectionKeys' leaves out; name the section there."
        ),
        (
            #"UPDATE items SET fields = '{"Title":"left","Children":[5]}' WHERE id = 1"#,
            "sqlite:T.db: items[1]: in /left: element 1 of the array is a number, but an item must be a string or a dictionary."
        ),
        (
            "DELETE FROM items WHERE id = 0",
            "sqlite:T.db: items[0]: there is no root; insert the item with the id 0 and no parent."
        ),
        (
            "PRAGMA foreign_keys = OFF; INSERT INTO items (id, parent, position, fields) VALUES (30, 99, 0, '\"x\"')",
            "sqlite:T.db: items[30]: its parent, item 99, does not exist; set another parent, or delete the row."
        ),
        (
            "UPDATE items SET parent = 5 WHERE id = 2",
            "sqlite:T.db: items[2]: it is below itself; set another parent for it or for an item above it."
        ),
    ])
    func rowsThatBreakARuleAreNotFollowed(statement: String, sentence: String) throws {
        let watcher = try loadedWatcher()
        try other().execute(statement)
        #expect(look(watcher) == .arrived)
        let error = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: watcher.document) }
        #expect(error?.description == sentence)
    }

    @Test func ofTwoKeysThatAreEqualAfterNFCTheSecondIsNamed() throws {
        try other().execute(
            """
            INSERT INTO items (id, parent, position, fields)
            VALUES (30, 0, -2, '{"Key":"\u{E9}"}'), (31, 0, -1, '{"Key":"e\u{301}"}')
            """)
        let error = #expect(throws: SourceError.self) { _ = try source.load(replacing: nil) }
        #expect(error?.name == "sqlite:T.db: items[31]")
    }

    @Test func aSettingsPageIsNotImported() throws {
        let error = #expect(throws: SourceError.self) {
            try put(#"{"PreferenceSpecifiers":[]}"#, replaces: true)
        }
        #expect(
            error?.description
                == "sqlite:T.db: a settings page (PreferenceSpecifiers) cannot be kept in a database; serve its bundle."
        )
    }

    @Test func changesThatGetNoRevisionAreNotShown() throws {
        let watcher = try loadedWatcher()
        try other().execute(
            """
            CREATE TRIGGER closed BEFORE INSERT ON revisions BEGIN SELECT RAISE(ABORT, 'the log is closed'); END;
            UPDATE items SET fields = '"x"' WHERE id = 1
            """)
        let sentence = "sqlite:T.db: the database refuses the change: the log is closed."
        guard case .failed(let fault)? = look(watcher) else {
            Issue.record("the change is followed")
            return
        }
        let error = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: nil) }
        #expect(fault.description == sentence && error?.description == sentence)
    }

    @Test func theDeepestTreeIsFollowedAndADeeperOneIsNot() throws {
        let outcome = Handover<Result<[Bool], any Error>>()
        // As large a stack as the store's thread has.
        let thread = try Thread(name: "deep", stackBytes: 64 << 20) {
            outcome.give(
                Result {
                    try [511, 512].map { count in
                        let watcher = try loadedWatcher()
                        try other().execute(
                            """
                            DELETE FROM items WHERE parent = 1;
                            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                            INSERT INTO items (id, parent, position, fields)
                              SELECT 100 + i, CASE i WHEN 1 THEN 1 ELSE 99 + i END, 0, '"x"' FROM n
                            """)
                        if case .advanced? = look(watcher) { return true } else { return false }
                    }
                })
        }
        #expect(try outcome.take().get() == [true, false])
        thread.join()
    }

    @Test func aLoadedTreeHasTheNamesOfTheDatabase() throws {
        let names = try StructuralNames(mapping: "title=name,children=kids")
        try put(#"{"name":"R","kids":[{"name":"A","Text":"x"}]}"#, names: names, replaces: true)
        #expect(try source.load(replacing: nil).names == names)
    }

    // MARK: The user's own objects

    @Test func aTreeWithOtherNamesKeepsTheUsersIndexesAndTriggersAndHasAllOfItsOwn() throws {
        let names = try StructuralNames(mapping: "title=name,children=kids")
        try other().execute(
            """
            CREATE INDEX own ON items (json_extract(fields, '$.Text'));
            CREATE TRIGGER mine AFTER INSERT ON items BEGIN SELECT 1; END;
            DROP INDEX items_level; DROP TRIGGER updated;
            """)
        try put(#"{"name":"R","kids":["A"]}"#, names: names, replaces: true)
        let objects = try other().first(
            "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE tbl_name = 'items' ORDER BY name)")
        #expect(objects == [.text("deleted,inserted,items,items_key,items_level,mine,own,updated")])
        try other().execute("ALTER TABLE items ADD COLUMN price REAL; ALTER TABLE items ADD COLUMN note TEXT")
        let error = #expect(throws: SourceError.self) { try put(#"["A"]"#, replaces: true) }
        #expect(
            error?.description
                == "sqlite:T.db: a tree with other structural keys cannot keep the columns that were added to 'items' (price, note); drop them, or import into a new file."
        )
    }

    @Test func aTreeWithOtherNamesIsNotImportedIfAUsersIndexRefusesIt() throws {
        try other().execute("CREATE UNIQUE INDEX own ON items (json_extract(fields, '$.N'))")
        let before = try source.load(replacing: nil).tree.document.hash
        let names = try StructuralNames(mapping: "title=name,children=kids")
        let error = #expect(throws: SourceError.self) {
            try put(#"{"name":"R","kids":[{"name":"A","N":1},{"name":"B","N":1}]}"#, names: names, replaces: true)
        }
        #expect(
            error?.description
                == "sqlite:T.db: the database refuses the change: UNIQUE constraint failed: index 'own'.")
        #expect(try source.load(replacing: nil).tree.document.hash == before)
    }

    /// Older versions of SQLite compare keys up to U+0000.
    @Test func keysThatDifferAfterU0000AreKeptOrRefused() throws {
        do {
            try put(#"[{"Title":"A","Key":"x\u0000a"},{"Title":"B","Key":"x\u0000b"}]"#, replaces: true)
            #expect(try other().first("SELECT count(*) FROM items WHERE parent = 0") == [.integer(2)])
        } catch let error as SourceError {
            #expect(
                error.description
                    == "sqlite:T.db: the field 'Key' of items[1] contains U+0000, where a key ends for SQLite, so another item has the same key; remove it."
            )
        }
    }
}
