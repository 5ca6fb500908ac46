import Levels
import PropertyLists
import TestSources
import Testing
import TreeSources

@testable import DatabaseTrees

@Suite struct PostgresImportTests {
    let server: PostgresServer

    init() throws { server = try PostgresServer.shared.get() }

    @Test func makesTheObjectsOfTheSchema() throws {
        try server.makeTree("objects", ["a", "b"])
        let c = try server.connection()
        let names = try c.column(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = 'objects.items'::regclass AND NOT tgisinternal ORDER BY 1")
        #expect(names == ["a_lock", "a_truncated", "b_deleted", "b_inserted", "b_moved", "c_updated"])
        let indexes = try c.column(
            "SELECT indexname FROM pg_indexes WHERE schemaname = 'objects' AND tablename = 'items' ORDER BY 1")
        #expect(indexes == ["items_key", "items_level", "items_pkey"])
        #expect(try c.column("SELECT title FROM objects.titles WHERE parent = 0 ORDER BY position") == ["a", "b"])
    }

    @Test(arguments: [
        (
            "INSERT INTO rules.items (id, parent, position, fields) VALUES (100, NULL, 0, '{\"Title\":\"x\"}')",
            "root_is_0"
        ),
        ("UPDATE rules.items SET parent = 1 WHERE id = 0", "root_is_0"),
        ("INSERT INTO rules.items (parent, position, fields) VALUES (0, 0, '{\"Text\":\"x\"}')", "item_is_titled"),
        ("INSERT INTO rules.items (parent, position, fields) VALUES (999, 0, '\"x\"')", "items_parent_fkey"),
        ("INSERT INTO rules.items (parent, position, fields) VALUES (0, 0, '{\"Key\":\"e\u{301}\"}')", "items_key"),
        ("INSERT INTO rules.head (format, epoch, revision, oldest) VALUES (1, 'x', 1, 1)", "head_pkey"),
        ("UPDATE rules.items SET parent = 102 WHERE id = 1", "items_are_a_tree"),
        ("TRUNCATE rules.items CASCADE", nil),
    ])
    func refusesWhatIsNotATree(statement: String, constraint: String?) throws {
        let name = "rules_\(abs(statement.hashValue))"
        let tree = try server.makeTree(name, ["a"])
        try tree.commit(
            [
                RevisionWrite(
                    .insert(ItemRow(102, below: 1, #""b""#)),
                    .insert(ItemRow(103, #"{"Title":"é","Key":"é"}"#)))
            ], after: tree.head())
        let failure = try #require(throws: PostgresFailure.self) {
            try server.connection().run(statement.replacing("rules.", with: name + "."))
        }
        #expect(failure.constraint == constraint)
    }

    @Test func logsWhatOtherProgramsWrite() throws {
        let tree = try server.makeTree("triggers", ["a", "b"])
        let first = try tree.head()
        let c = try server.connection()
        try c.run("UPDATE triggers.items SET id = 50 WHERE id = 2")
        try c.run(
            "BEGIN; INSERT INTO triggers.items (parent, position, fields) VALUES (1, 0, '\"c\"'); SAVEPOINT s; DELETE FROM triggers.items WHERE id = 50; ROLLBACK TO s; DELETE FROM triggers.items WHERE id = 1; COMMIT"
        )
        try c.run("DELETE FROM triggers.items WHERE id = 77")
        let log = try #require(try tree.revisions(after: first))
        #expect(log.map(\.number) == [2, 3])
        #expect(log[0].changes == [.gone(2), .row(ItemRow(50, at: 1 << 32, #""b""#))])
        #expect(log[1].changes.count == 3 && log[1].changes.contains(.gone(1)))
    }

    @Test func replacesATreeInOneRevision() throws {
        let tree = try server.makeTree("replaced", ["a", "b"])
        let first = try tree.head()
        try tree.commit([RevisionWrite(.insert(ItemRow(9, #""c""#)))], after: first)
        let last = try tree.head()
        let error = try #require(throws: DatabaseError.self) { try server.makeTree("replaced", ["x"]) }
        #expect(error.reason == "the database already has a tree named 'replaced'; use --replace to replace it")
        try server.makeTree("replaced", ["x", "y", "z", "w"], replaces: true)
        #expect(try tree.revisions(after: last) == nil)
        let head = try tree.head()
        #expect(head.revision == last.revision + 1 && head.epoch == last.epoch)
        #expect(try tree.history(upTo: head, limit: 1).map(\.writer) == [.importer])
        #expect(try tree.texts().suffix(4) == [#""x""#, #""y""#, #""z""#, #""w""#])
        try tree.commit([RevisionWrite(.delete(1))], after: head)
        #expect(try tree.revisions(after: head)?.map(\.changes) == [[.gone(1)]])
    }

    @Test func mapsTheNamesOfKeys() throws {
        let tree = try server.tree("mapped")
        let keys = "title=it's|name,key=code,children=entries"
        let writer = try tree.beginImport(keys: keys, replaces: false)
        try writer.add(.root, #"{"entries":null}"#)
        try writer.add(.init(id: 1, parent: 0, section: 0, position: 0), #"{"it's":"a","code":"1"}"#)
        try writer.add(.init(id: 2, parent: 0, section: 0, position: 1), #"{"name":"b"}"#)
        try writer.finish()
        #expect(try tree.head().keys == keys)
        let c = try server.connection()
        #expect(try c.column("SELECT title FROM mapped.titles ORDER BY id") == ["NULL", "a", "b"])
        let twin =
            "INSERT INTO mapped.items (parent, position, fields) VALUES (0, 0, '{\"name\":\"x\",\"code\":\"1\"}')"
        #expect(try #require(throws: PostgresFailure.self) { try c.run(twin) }.constraint == "items_key")
        try server.makeTree("mapped", ["a"], replaces: true)
        #expect(try tree.head().keys == nil)
        let plain = "INSERT INTO mapped.items (parent, position, fields) VALUES (0, 0, '{\"name\":\"x\"}')"
        #expect(try #require(throws: PostgresFailure.self) { try c.run(plain) }.constraint == "item_is_titled")
    }

    @Test func keepsTheViewsOfOtherPrograms() throws {
        try server.makeTree("viewed", ["a"])
        let c = try server.connection()
        try c.run("CREATE VIEW viewed.mine AS SELECT title FROM viewed.titles WHERE parent = 0")
        let writer = try server.tree("viewed").beginImport(keys: "title=name", replaces: true)
        try writer.add(.root, #"{"Children":null}"#)
        try writer.add(.init(id: 1, parent: 0, section: 0, position: 0), #"{"name":"b"}"#)
        try writer.finish()
        #expect(try c.column("SELECT title FROM viewed.mine") == ["b"])
    }

    @Test func anEditSkipsIdsThatAnotherProgramHasUsed() throws {
        let tree = try server.makeTree("skipped", ["a"])
        let c = try server.connection()
        try c.run(
            """
            INSERT INTO skipped.items (id, parent, position, fields)
              SELECT last_value + n, 0, 9, '"foreign"' FROM skipped.items_id_seq, generate_series(0, 70, 2) n
            """)
        let source = try DatabaseTree.postgres(
            "postgres://drilldown@/trees?host=\(server.folder)&tree=skipped", passwordFile: nil)
        let watcher = DatabaseWatcher(source: source, database: tree)
        _ = try watcher.load(replacing: nil)
        let group = try watcher.beginEdits()
        let insertion = Edit.insert(.string("new"), below: .root, at: .last, section: nil)
        _ = try group.apply(EditBatch([insertion, insertion, insertion], isExact: true), by: nil)
        _ = try group.save()
        #expect(try tree.texts().filter { $0 == #""new""# }.count == 3)
    }

    @Test func leavesNothingOfAnImportThatIsNotFinished() throws {
        do {
            let writer = try server.tree("half").beginImport(keys: nil, replaces: false)
            try writer.add(.root, #"{"Rows":null}"#)
        }
        let error = try #require(throws: DatabaseError.self) { try server.tree("half").head() }
        #expect(
            error.reason == "the database has no tree named 'half'; create it with import, or name another in tree=")
        let writer = try server.tree("half").beginImport(keys: nil, replaces: false)
        let nul = try #require(throws: DatabaseError.self) { try writer.add(.root, #"{"A":"\u0000"}"#) }
        #expect(nul.reason == "the field 'A' of items[0] contains U+0000, which PostgreSQL cannot store; remove it")
        try writer.add(.root, #"{"Rows":null}"#)
        try writer.add(.init(id: 1, parent: nil, section: 0, position: 0), #""a second root""#)
        #expect(throws: DatabaseError.self) { try writer.finish() }
    }

    @Test func refusesWhatIsNotItsOwn() throws {
        let c = try server.connection()
        try c.run("CREATE SCHEMA foreign_tables; CREATE TABLE foreign_tables.head (x int); CREATE SCHEMA prepared")
        let error = try #require(throws: DatabaseError.self) {
            try server.makeTree("foreign_tables", [], replaces: true)
        }
        #expect(
            error.reason
                == "the schema 'foreign_tables' has tables of another program; name another tree, or remove the schema")
        try server.makeTree("prepared", ["a"])
        try c.run("UPDATE prepared.head SET format = 42")
        for attempt in [
            { try server.makeTree("prepared", [], replaces: true) },
            {
                _ = try server.tree("prepared").head()
                return try server.tree("x")
            },
        ] {
            let error = try #require(throws: DatabaseError.self) { try attempt() }
            #expect(
                error.reason
                    == "the tree has the format 42, and this program reads the format 1; use a newer drilldown")
        }
    }

    @Test func refusesADatabaseInAnotherEncoding() throws {
        try server.connection().run(
            "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        let address = try PostgresAddress("postgres://drilldown@/latin?host=\(server.folder)&tree=t")
        let error = try #require(throws: DatabaseError.self) {
            _ = try PostgresTree(address: address).beginImport(keys: nil, replaces: false)
        }
        #expect(error.reason == "the database has another encoding than UTF8; make one with ENCODING 'UTF8'")
    }

    @Test func saysWhatARoleMayNot() throws {
        try server.makeTree("guarded", ["a"])
        try server.connection().run(
            "CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA guarded TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA guarded TO reader"
        )
        let reader = try server.tree("guarded", role: "reader")
        let last = try reader.readItems { _, _ in }
        #expect(
            throws: CommitError.failed(
                .init(
                    kind: .readOnly, reason: "permission denied for table head; grant this role the missing permission")
            )
        ) { try reader.commit([RevisionWrite(.delete(1))], after: last) }
        try server.connection().run("GRANT ALL ON ALL TABLES IN SCHEMA guarded TO reader")
        let source = try DatabaseTree.postgres(
            "postgres://reader@/trees?host=\(server.folder)&tree=guarded", passwordFile: nil)
        let watcher = DatabaseWatcher(source: source, database: reader)
        _ = try watcher.load(replacing: nil)
        let group = try watcher.beginEdits()
        _ = try group.apply(
            EditBatch([.insert(.string("new"), below: .root, at: .last, section: nil)], isExact: true), by: nil)
        let unsaved = try #require(throws: SaveError.self) { try group.save() }
        guard case .unwritable(let refusal) = unsaved else { throw unsaved }
        #expect(refusal.reason == "permission denied for sequence items_id_seq; grant this role the missing permission")
        try server.connection().run("GRANT ALL ON ALL SEQUENCES IN SCHEMA guarded TO reader")
        try reader.commit([RevisionWrite(.delete(1))], after: last)
        let error = try #require(throws: DatabaseError.self) { try server.tree("guarded", role: "stranger").head() }
        #expect(error.reason == "permission denied for schema guarded; grant this role the missing permission")
        let unmade = try #require(throws: DatabaseError.self) {
            _ = try server.tree("unmade", role: "stranger").beginImport(keys: nil, replaces: false)
        }
        #expect(unmade.reason == "permission denied for database trees; grant this role the missing permission")
        let nobody = try #require(throws: DatabaseError.self) { try server.tree("guarded", role: "nobody").head() }
        let reason = #"cannot connect: role "nobody" does not exist; create it, or name another in the address"#
        #expect(nobody == .init(kind: .away, reason: reason))
    }
}

extension String {
    fileprivate func replacing(_ one: String, with other: String) -> String {
        var (text, rest) = ("", self[...])
        while let range = rest.firstRange(of: one) {
            text += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return text + rest
    }
}
